// SPDX-License-Identifier: MIT
// Products of handles in trace and report. A program of its own, since the environment is read once.
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "handles.hpp"

namespace ab::test {
namespace {

std::string read_file(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST(Recording, HandleProductsAreTracedAsSuch) {
  char folder[] = "/tmp/capi_recording_XXXXXX";
  ASSERT_NE(mkdtemp(folder), nullptr);
  const std::string path = std::string(folder) + "/trace";
  setenv("AB_TRACE", path.c_str(), 1);
  ASSERT_EQ(ab_init(), AB_OK);
  const Matrix a(2, 3, counted(2, 3)), b(3, 4, counted(3, 4)), c(2, 4, counted(2, 4)), d(2, 4), wide(2, 4, counted(2, 4));
  ASSERT_EQ(ab_dgemm_scaled(2.0, a, b, 0.5, c), AB_OK) << ab_last_error();
  EXPECT_EQ(ab_dgemm(a, a, c), AB_ERROR_DIMENSION_MISMATCH);  // no call
  ASSERT_EQ(ab_zgemm_ex(AB_CONJ_TRANS, AB_NO_TRANS, a, a, wide, wide, Matrix(3, 4), Matrix(3, 4)), AB_OK) << ab_last_error();

  const std::string file = path + "." + std::to_string(getpid());
  std::string text = read_file(file);
  ASSERT_FALSE(text.empty());
  text = text.substr(0, text.find_last_of(',')) + "]";  // the file is still open: close the array
  const auto events = nlohmann::json::parse(text);
  std::vector<nlohmann::json> calls;
  for (const auto& event : events) {
    if (event.value("cat", "") == "handle") calls.push_back(event);
  }
  ASSERT_EQ(calls.size(), 2u);
  EXPECT_EQ(calls[0]["name"], "dgemm");
  const auto& real = calls[0]["args"];
  EXPECT_EQ(real["api"], "handle");
  EXPECT_EQ(real["m"], 2);
  EXPECT_EQ(real["n"], 4);
  EXPECT_EQ(real["k"], 3);
  EXPECT_EQ(real["lda"], 3);
  EXPECT_EQ(real["ldb"], 4);
  EXPECT_EQ(real["ldc"], 4);
  EXPECT_EQ(real["alpha"], 2);
  EXPECT_EQ(real["beta"], 0.5);
  EXPECT_EQ(real["reason"], "resident");
  EXPECT_EQ(real["engine"], "device");
  EXPECT_EQ(calls[1]["name"], "zgemm");
  EXPECT_EQ(calls[1]["args"]["ta"], "C");
  EXPECT_EQ(calls[1]["args"]["tb"], "N");
  EXPECT_EQ(calls[1]["args"]["k"], 2);
  unlink(file.c_str());
  rmdir(folder);
}

}  // namespace
}  // namespace ab::test
