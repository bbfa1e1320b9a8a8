// SPDX-License-Identifier: MIT
// The program itself: exit statuses, suggestions, machine-readable output, the drop-in.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "apple_bottom.h"
#include "child.hpp"
#include "options.hpp"

namespace ab::cli {
namespace {

using nlohmann::json;

ChildResult applebottom(const std::vector<std::string>& arguments) {
  ChildCommand command;
  command.arguments = {APPLEBOTTOM};
  command.arguments.insert(command.arguments.end(), arguments.begin(), arguments.end());
  command.output = Output::Capture;
  command.limit_s = 100;
  return run_child(command);
}

bool contains(const std::string& text, const std::string& piece) {
  return text.find(piece) != std::string::npos;
}

TEST(CommandLine, WrongUsageIsTwo) {
  EXPECT_EQ(applebottom({}).status, 2);
  EXPECT_EQ(applebottom({"--nonsense"}).status, 2);
  EXPECT_EQ(applebottom({"info", "--nonsense"}).status, 2);
  EXPECT_EQ(applebottom({"bench", "--shape", "12x12"}).status, 2);
  EXPECT_EQ(applebottom({"bench", "--classes", "quadruple"}).status, 2);
  EXPECT_EQ(applebottom({"bench", "--op", "sgemm"}).status, 2);
  EXPECT_EQ(applebottom({"bench", "--runs", "0"}).status, 2);
  EXPECT_EQ(applebottom({"bench", "--threads", "0"}).status, 2);
  EXPECT_EQ(applebottom({"bench", "--against", "a.so,"}).status, 3);
  EXPECT_EQ(applebottom({"bench", "--against", ",a.so"}).status, 2);
  EXPECT_EQ(applebottom({"run"}).status, 2);
  EXPECT_EQ(applebottom({"run", "--mode", "sideways", "--", "true"}).status, 2);
}

TEST(CommandLine, TheModelNeedsNoDevice) {
  const ChildResult child = applebottom({"bench", "--model", "apple-m2-max", "--op", "dgemm,zgemm", "--json", "--device", "none"});
  EXPECT_EQ(child.status, 0);
  std::istringstream lines(child.output);
  std::string line;
  int count = 0;
  for (; std::getline(lines, line); ++count) EXPECT_EQ(json::parse(line)["model"], "apple-m2-max");
  EXPECT_EQ(count, 2 * 2 * 6);  // operations, classes, sizes
  EXPECT_EQ(applebottom({"bench", "--model", "apple-m5"}).status, 3);
  EXPECT_EQ(applebottom({"bench", "--model", "apple"}).status, 2);
}

TEST(CommandLine, AMisspeltSubcommandSuggestsTheNearest) {
  const ChildResult child = applebottom({"benhc", "--json"});
  EXPECT_EQ(child.status, 2);
  EXPECT_EQ(child.output, "applebottom: no subcommand 'benhc'; did you mean 'bench'?\n");
  EXPECT_EQ(applebottom({"ben"}).status, 2);  // names are not abbreviated
}

TEST(CommandLine, HelpAndVersionAreFine) {
  for (const char* subcommand : {"info", "selftest", "demo", "bench", "run"}) {
    const ChildResult child = applebottom({subcommand, "--help"});
    EXPECT_EQ(child.status, 0);
    EXPECT_TRUE(contains(child.output, "--json")) << subcommand;
  }
  const ChildResult version = applebottom({"--version"});
  EXPECT_EQ(version.status, 0);
  EXPECT_TRUE(contains(version.output, ab_version()));
}

TEST(CommandLine, WhatIsNotAvailableIsThree) {
  EXPECT_EQ(applebottom({"bench", "--device", "abacus"}).status, 3);
  EXPECT_EQ(applebottom({"info", "--device", "abacus"}).status, 3);
  EXPECT_EQ(applebottom({"bench", "--shapes", "/no/such/file"}).status, 3);
  const ChildResult missing = applebottom({"bench", "--against", "/no/such/library.so"});
  EXPECT_EQ(missing.status, 3);
  EXPECT_TRUE(contains(missing.output, "--against: /no/such/library.so cannot be opened")) << missing.output;
}

TEST(CommandLine, InfoAsJson) {
  const ChildResult child = applebottom({"info", "--json"});
  ASSERT_EQ(child.status, 0) << child.output;
  const json info = json::parse(child.output);
  EXPECT_EQ(info["version"], ab_version());
  EXPECT_EQ(info["devices"][0]["id"], "cpu");
  EXPECT_EQ(info["devices"][0]["self_test"], "passed");
  EXPECT_EQ(info["settings"]["AB_MODE"]["value"], "auto");
}

TEST(CommandLine, InfoSaysWhichTableServes) {
  setenv("AB_DISPATCH_TABLE", "builtin", 1);
  const bool amx = contains(applebottom({"info"}).output, "amx-int8");
  const std::string with_amx = "built-in: measured on AMX machines, ", without = "built-in: nothing measured for this device and CPU; ";
  const ChildResult info = applebottom({"info", "--device", "cpu"});
  EXPECT_TRUE(contains(info.output, amx ? with_amx : without)) << info.output;
  setenv("AB_CPU_KERNELS", "avx2", 1);  // without the matrix unit the same machine is not of that kind
  EXPECT_TRUE(contains(applebottom({"info", "--device", "cpu"}).output, without));
  unsetenv("AB_CPU_KERNELS");
  unsetenv("AB_DISPATCH_TABLE");
}

TEST(CommandLine, SelftestPasses) {
  const ChildResult child = applebottom({"selftest", "--json"});
  ASSERT_EQ(child.status, 0) << child.output;
  const json checks = json::parse(child.output);
  EXPECT_GE(checks.size(), 2u);
  for (const json& check : checks) EXPECT_EQ(check["result"], "passed");
}

std::vector<json> bench(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), {"bench", "--json", "--device", "cpu", "--runs", "3", "--warmup", "1"});
  const ChildResult child = applebottom(arguments);
  EXPECT_EQ(child.status, 0) << child.output;
  std::vector<json> cases;
  std::istringstream lines(child.output);
  for (std::string line; std::getline(lines, line);) cases.push_back(json::parse(line));
  return cases;
}

TEST(CommandLine, BenchPrintsOneObjectPerCase) {
  const std::vector<json> cases = bench({"--op", "dgemm,zgemm", "--shape", "40x30x50,33x34x35", "--classes", "dd,fast,fp64,strict"});
  ASSERT_EQ(cases.size(), 16u);
  for (const json& one : cases) {
    EXPECT_EQ(one["device"], "cpu");
    EXPECT_EQ(one["runs"], 3);
    EXPECT_EQ(one["fault"], "");
    EXPECT_GT(one["device_median_s"], 0.0);
    EXPECT_GT(one["device_gflops"], 0.0);
    EXPECT_LE(one["device_error_u"], one["bound_u"].get<double>() + 1.0);
    EXPECT_EQ(one["moduli"] == 0, one["class"] == "dd");
    EXPECT_EQ(one["bits"].get<std::string>().size(), 16u);
    EXPECT_TRUE(one["host_blas"].is_null() || one["ratio"] > 0.0);
  }
  EXPECT_EQ(cases[0]["shape"], "40x30x50");
  EXPECT_NE(cases[0]["bits"], cases[2]["bits"]);
}

TEST(CommandLine, BenchBitsDependOnTheClassAlone) {
  const std::vector<std::string> what = {"--op", "zgemm", "--shape", "24x36x48", "--classes", "fp64,dd", "--no-host", "--verify"};
  std::vector<std::string> resident = what, fresh = what;
  resident.push_back("--resident");
  fresh.push_back("--fresh");
  const std::vector<json> staged = bench(what), handles = bench(resident), written = bench(fresh);
  ASSERT_EQ(staged.size(), 2u);
  ASSERT_EQ(handles.size(), 2u);
  EXPECT_EQ(staged[0]["bits"], handles[0]["bits"]);
  EXPECT_EQ(staged[1]["bits"], handles[1]["bits"]);
  EXPECT_EQ(handles[0]["operands"], "resident");
  EXPECT_EQ(written[1]["bits"], handles[1]["bits"]);
  EXPECT_EQ(written[1]["operands"], "fresh");
  EXPECT_TRUE(staged[0]["host_blas"].is_null());
}

TEST(CommandLine, BenchKnowsUpdatesAndSolves) {
  const std::vector<std::string> what = {"--op",      "dsyrk,zherk,dtrsm", "--shape", "40x40x40,200x200x200",
                                         "--classes", "dd,fp64",           "--verify"};
  std::vector<std::string> resident = what;
  resident.push_back("--resident");
  const std::vector<json> staged = bench(what), handles = bench(resident);
  ASSERT_EQ(staged.size(), 12u);
  ASSERT_EQ(handles.size(), 12u);
  for (std::size_t i = 0; i < staged.size(); ++i) {
    EXPECT_EQ(staged[i]["fault"], "") << staged[i].dump();
    EXPECT_EQ(handles[i]["fault"], "") << handles[i].dump();
    EXPECT_EQ(staged[i]["bits"], handles[i]["bits"]) << staged[i].dump();
    EXPECT_TRUE(staged[i]["host_error_u"].is_null() || staged[i]["host_error_u"] < 100.0) << staged[i].dump();
  }
  EXPECT_EQ(staged[8]["op"], "dtrsm");
  EXPECT_EQ(applebottom({"bench", "--op", "dsyrk", "--shape", "3x4x5"}).status, 2);
  EXPECT_EQ(applebottom({"bench", "--op", "dtrsm", "--shape", "3x4x5"}).status, 2);
  EXPECT_EQ(applebottom({"bench", "--op", "zherk", "--ops", "NT"}).status, 2);
  EXPECT_EQ(applebottom({"bench", "--op", "dsyrk", "--model", "apple-m2-max"}).status, 2);
  EXPECT_EQ(applebottom({"verify", "--op", "dsyrk"}).status, 2);
}

TEST(CommandLine, BenchMultipliesTransposes) {
  const std::vector<json> cases = bench({"--op", "dgemm,zgemm", "--ops", "NN,NT,TN,CC", "--shape", "40x30x50", "--verify"});
  ASSERT_EQ(cases.size(), 8u);
  for (const json& one : cases) {
    EXPECT_EQ(one["fault"], "");
    EXPECT_TRUE(one["host_error_u"].is_null() || one["host_error_u"] < 100.0) << one.dump();
  }
  EXPECT_EQ(cases[0]["transa"], "N");
  EXPECT_EQ(cases[5]["op"], "zgemm");
  EXPECT_EQ(cases[5]["transa"], "N");
  EXPECT_EQ(cases[5]["transb"], "T");
  EXPECT_EQ(cases[7]["transb"], "C");
  EXPECT_EQ(applebottom({"bench", "--ops", "NX"}).status, 2);
  EXPECT_EQ(applebottom({"bench", "--ops", "NT", "--resident"}).status, 2);
}

TEST(CommandLine, BenchMeasuresPeersInTurn) {
  const std::string full = std::string(AB_FAKES) + "/fake_blas_full.so", fortran = std::string(AB_FAKES) + "/fake_blas_fortran.so";
  const std::vector<json> cases = bench({"--shape", "24x24x24", "--against", full + "," + fortran, "--no-host", "--threads", "1"});
  ASSERT_EQ(cases.size(), 1u);
  const json& one = cases[0];
  EXPECT_EQ(one["fault"], "");
  ASSERT_EQ(one["peers"].size(), 2u);
  EXPECT_EQ(one["peers"][0]["file"], full);
  EXPECT_EQ(one["peers"][0]["kernel"], "Haswell");
  EXPECT_EQ(one["peers"][1]["name"], "fake_blas_fortran.so");
  for (const json& peer : one["peers"]) {
    EXPECT_GT(peer["gflops"], 0.0);
    EXPECT_GT(peer["ratio"], 0.0);
    EXPECT_GT(peer["error_u"], 1e6);  // they compute nothing
    EXPECT_EQ(peer["matrix"].is_null(), one["device_matrix"].is_null());
  }
  EXPECT_EQ(one["threads"], 1);
  EXPECT_EQ(one["environment"]["OMP_NUM_THREADS"], "1");
  EXPECT_EQ(one["library_version"], ab_version());
}

TEST(CommandLine, BenchTablesNameThePeers) {
  const std::string full = std::string(AB_FAKES) + "/fake_blas_full.so";
  const ChildResult child = applebottom({"bench", "--device", "cpu", "--shape", "8x8x8", "--runs", "1", "--against", full});
  EXPECT_EQ(child.status, 0);
  for (const char* piece : {"apple-bottom ", "environment:", "host BLAS: ", "peer OpenBLAS 9.8.7 Haswell: ", "\npeers: "}) {
    EXPECT_TRUE(contains(child.output, piece)) << piece << "\n" << child.output;
  }
}

std::string read_file(const std::string& name) {
  std::ifstream file(name);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST(CommandLine, BenchReadsShapesAndWritesFiles) {
  const TemporaryFolder folder;
  std::ofstream(folder.path() + "/shapes") << "# m n k\n16 16 16 small\n\n20 8 12   # tag\n";
  const std::vector<json> cases =
      bench({"--shapes", folder.path() + "/shapes", "--output", folder.path() + "/out.csv", "--plot", folder.path() + "/out.svg"});
  ASSERT_EQ(cases.size(), 2u);
  EXPECT_EQ(cases[1]["shape"], "20x8x12");
  const std::string csv = read_file(folder.path() + "/out.csv");
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 3);
  EXPECT_EQ(csv.rfind("op,shape,m,n,k,", 0), 0u);
  EXPECT_TRUE(contains(read_file(folder.path() + "/out.svg"), "20x8x12"));
  EXPECT_EQ(applebottom({"bench", "--shape", "8x8x8", "--runs", "1", "--output", folder.path() + "/out.json"}).status, 0);
  EXPECT_EQ(json::parse(read_file(folder.path() + "/out.json")).size(), 1u);
}

TEST(CommandLine, DemoIsRightAndSaysSo) {
  const ChildResult child = applebottom({"demo", "--size", "40", "--no-programs"});
  EXPECT_EQ(child.status, 0) << child.output;
  EXPECT_TRUE(contains(child.output, "all of it is right\n")) << child.output;
  const ChildResult machine = applebottom({"demo", "--size", "40", "--no-programs", "--json"});
  EXPECT_EQ(machine.status, 0);
  const json demo = json::parse(machine.output);
  EXPECT_EQ(demo["faults"].size(), 0u);
  EXPECT_GE(demo["measurements"].size(), 8u);  // two operations, four classes
}

TEST(CommandLine, RunGivesTheProgramsOwnStatus) {
  EXPECT_EQ(applebottom({"run", "--", "sh", "-c", "exit 9"}).status, 9);
  EXPECT_EQ(applebottom({"run", "--", "no-such-program-of-apple-bottom"}).status, 127);
  const TemporaryFolder folder;
  std::ofstream(folder.path() + "/text") << "x";
  EXPECT_EQ(applebottom({"run", "--", folder.path() + "/text"}).status, 126);
  const ChildResult checked = applebottom({"run", "--check", "--", "false"});
  EXPECT_EQ(checked.status, 1);
  EXPECT_EQ(checked.output, "library loaded: yes    BLAS calls seen: 0    computed on a device: 0\n");
  const ChildResult killed = applebottom({"run", "--check", "--json", "--", "sh", "-c", "kill -KILL $$"});
  EXPECT_EQ(killed.status, 128 + 9);
  EXPECT_TRUE(json::parse(killed.output)["library_loaded"].is_null());
}

TEST(CommandLine, RunPassesTheProgramsArgumentsUntouched) {
  const ChildResult child = applebottom({"run", "--", "printf", "%s|", "--json", "--", "a b"});
  EXPECT_EQ(child.status, 0);
  EXPECT_EQ(child.output, "--json|--|a b|");
}

TEST(CommandLine, RunSetsWhatItsOptionsSay) {
  const std::string script = "echo $AB_MODE $AB_REPRODUCIBLE $AB_TRACE $AB_PRECISION; test -n \"$LD_PRELOAD$DYLD_INSERT_LIBRARIES\"";
  const ChildResult child =
      applebottom({"run", "--mode", "gpu", "--reproducible", "--trace", "/tmp/t", "--precision", "strict", "--", "sh", "-c", script});
  EXPECT_EQ(child.status, 0);
  EXPECT_EQ(child.output, "gpu 1 /tmp/t strict\n");
}

TEST(CommandLine, RunTakesTheFilterInsteadOfAPreload) {
  const ChildResult child = applebottom({"run", "--filter", "--", "sh", "-c", "echo $LD_LIBRARY_PATH; test -z \"$LD_PRELOAD\""});
  const std::filesystem::path folder = std::filesystem::path(APPLEBOTTOM).parent_path() / "filter/blas";
  if (std::filesystem::exists(folder / "libblas.so.3")) {
    EXPECT_EQ(child.status, 0);
    EXPECT_EQ(child.output.rfind(folder.string(), 0), 0u) << child.output;
  } else {
    EXPECT_EQ(child.status, 3);
    EXPECT_TRUE(contains(child.output, "no filter library")) << child.output;
  }
}

TEST(CommandLine, RunReportsToAFileOfTheProgramsNumber) {
  const TemporaryFolder folder;
  const ChildResult child = applebottom({"run", "--report=" + folder.path() + "/r", "--", "true"});
  EXPECT_EQ(child.status, 0);
  int reports = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path())) {
    reports += entry.path().filename().string().rfind("r.", 0) == 0 ? 1 : 0;
  }
  EXPECT_EQ(reports, 1);
}

}  // namespace
}  // namespace ab::cli
