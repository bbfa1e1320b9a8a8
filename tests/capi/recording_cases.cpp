// SPDX-License-Identifier: MIT
// Products of handles in trace and report. A program of its own, since the environment is read once.
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <map>
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

// A future and a batch of one product each.
void run_later(ABMatrix a, ABMatrix b, ABMatrix c) {
  ABFuture future = ab_dgemm_async(a, b, c);
  ASSERT_EQ(ab_future_wait(future), AB_OK);
  ab_future_destroy(future);
  ABBatch batch = ab_batch_create();
  ASSERT_EQ(ab_batch_dgemm(batch, a, b, c), AB_OK);
  ASSERT_EQ(ab_batch_commit(batch), AB_OK);
  ASSERT_EQ(ab_batch_wait(batch), AB_OK);
  ab_batch_destroy(batch);
}

// Calls of handles, and the routines of the other ways in.
std::pair<std::vector<nlohmann::json>, std::map<std::string, std::string>> sorted(const nlohmann::json& events) {
  std::vector<nlohmann::json> calls;
  std::map<std::string, std::string> others;
  for (const auto& event : events) {
    if (event.value("cat", "") != "handle") continue;
    const std::string api = event["args"]["api"];
    if (api == "handle") {
      calls.push_back(event);
    } else {
      others[api] = event["name"];
    }
  }
  return {calls, others};
}

TEST(Recording, HandleProductsAreTracedAsSuch) {
  char folder[] = "/tmp/capi_recording_XXXXXX";
  ASSERT_NE(mkdtemp(folder), nullptr);
  const std::string path = std::string(folder) + "/trace";
  setenv("AB_TRACE", path.c_str(), 1);
  ASSERT_EQ(ab_init(), AB_OK);
  const Matrix a(2, 3, counted(2, 3)), b(3, 4, counted(3, 4)), c(2, 4, counted(2, 4)), d(2, 4), wide(2, 4, counted(2, 4)), square(2, 2);
  ASSERT_EQ(ab_dgemm_scaled(2.0, a, b, 0.5, c), AB_OK) << ab_last_error();
  EXPECT_EQ(ab_dgemm(a, a, c), AB_ERROR_DIMENSION_MISMATCH);  // no call
  ASSERT_EQ(ab_zgemm_ex(AB_CONJ_TRANS, AB_NO_TRANS, a, a, wide, wide, Matrix(3, 4), Matrix(3, 4)), AB_OK) << ab_last_error();
  ASSERT_EQ(ab_dsyrk(a, square), AB_OK) << ab_last_error();
  const Matrix t(2, 2, {2, 0, 0, 2});  // so small that it takes no product
  ASSERT_EQ(ab_dtrsm(AB_RIGHT, AB_LOWER, AB_TRANS, AB_UNIT_DIAG, 3.0, t, square), AB_OK) << ab_last_error();
  run_later(a, b, c);

  const std::string file = path + "." + std::to_string(getpid());
  std::string text = read_file(file);
  ASSERT_FALSE(text.empty());
  text = text.substr(0, text.find_last_of(',')) + "]";  // the file is still open: close the array
  const auto events = nlohmann::json::parse(text);
  EXPECT_NE(text.substr(0, text.find("\"cat\"")).find("\"device\":\"cpu\""), std::string::npos) << text.substr(0, 300);  // the header
  const auto& [calls, others] = sorted(events);
  ASSERT_EQ(calls.size(), 4u);
  EXPECT_EQ(others, (std::map<std::string, std::string>{{"async", "dgemm"}, {"batch", "dgemm"}}));
  EXPECT_EQ(calls[2]["name"], "dsyrk");
  EXPECT_EQ(calls[2]["args"]["uplo"], "U");
  EXPECT_EQ(calls[2]["args"]["trans"], "N");
  EXPECT_FALSE(calls[2]["args"].contains("ta"));
  EXPECT_EQ(calls[2]["args"]["k"], 3);
  const auto& solve = calls[3]["args"];
  EXPECT_EQ(calls[3]["name"], "dtrsm");
  EXPECT_EQ(solve["side"], "R");
  EXPECT_EQ(solve["uplo"], "L");
  EXPECT_EQ(solve["trans"], "T");
  EXPECT_EQ(solve["diag"], "U");
  EXPECT_EQ(solve["alpha"], 3);
  EXPECT_EQ(solve["scheme"], "ieee");
  EXPECT_EQ(solve["reason"], "resident");
  EXPECT_FALSE(solve.contains("ta"));
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
