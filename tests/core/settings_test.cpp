// SPDX-License-Identifier: MIT
// Every variable of spec 7 from a made-up environment: what counts, what is complained of, and what then holds.
#include "core/settings.hpp"

#include <gtest/gtest.h>

#include <map>
#include <string>

namespace ab {
namespace {

std::map<std::string, std::string> environment;

const char* fake_getenv(const char* name) {
  const auto found = environment.find(name);
  return found == environment.end() ? nullptr : found->second.c_str();
}

struct Reading {
  Settings settings;
  std::vector<std::string> complaints;
};

Reading read(std::map<std::string, std::string> variables, FileVariables files = FileVariables::Obey) {
  environment = std::move(variables);
  Reading reading;
  reading.settings = read_settings(fake_getenv, reading.complaints, files);
  return reading;
}

TEST(Settings, DefaultsWithoutAnyVariable) {
  const auto [settings, complaints] = read({});
  EXPECT_TRUE(complaints.empty());
  EXPECT_EQ(settings.mode, Mode::Auto);
  EXPECT_EQ(settings.min_gpu_dim, 32);
  EXPECT_EQ(settings.precision, Precision::Fp64);
  EXPECT_FALSE(settings.reproducible);
  EXPECT_EQ(settings.device, "");
  EXPECT_EQ(settings.dispatch_table, "");
  EXPECT_EQ(settings.config_home, "");
  EXPECT_TRUE(settings.disabled.empty());
  EXPECT_FALSE(settings.host_pack);
  EXPECT_EQ(settings.staging_mb, -1);
  EXPECT_GE(settings.num_threads, 1);
  EXPECT_FALSE(settings.report);
  EXPECT_EQ(settings.trace_path, "");
  EXPECT_EQ(settings.rank, -1);
  EXPECT_EQ(settings.local_rank, -1);
  EXPECT_EQ(settings.local_size, 1);
}

TEST(Settings, EmptyIsUnset) {
  const auto [settings, complaints] = read({{"AB_MODE", ""},
                                            {"AB_MIN_GPU_DIM", ""},
                                            {"AB_PRECISION", ""},
                                            {"AB_DEVICE", ""},
                                            {"AB_STAGING_MB", ""},
                                            {"AB_NUM_THREADS", ""},
                                            {"AB_DISABLE", ""},
                                            {"AB_REPORT", ""},
                                            {"AB_SPLIT", ""},
                                            {"AB_PROFILE_FILE", ""}});
  EXPECT_TRUE(complaints.empty());
  EXPECT_EQ(settings.min_gpu_dim, 32);
}

TEST(Settings, ModeWords) {
  const std::pair<const char*, Mode> words[] = {{"auto", Mode::Auto}, {"a", Mode::Auto},     {"AUTO", Mode::Auto}, {"cpu", Mode::Cpu},
                                                {"C", Mode::Cpu},     {"off", Mode::Cpu},    {"Host", Mode::Cpu},  {"gpu", Mode::Gpu},
                                                {"g", Mode::Gpu},     {"device", Mode::Gpu}, {" gpu ", Mode::Gpu}};
  for (const auto& [word, mode] : words) {
    const auto [settings, complaints] = read({{"AB_MODE", word}});
    EXPECT_EQ(settings.mode, mode) << word;
    EXPECT_TRUE(complaints.empty()) << word;
  }
}

TEST(Settings, PrecisionWords) {
  const std::pair<const char*, Precision> words[] = {{"dd", Precision::DoubleFloat},
                                                     {"fast", Precision::Fast},
                                                     {"FP64", Precision::Fp64},
                                                     {"strict", Precision::Strict},
                                                     {"Exact", Precision::Exact}};
  for (const auto& [word, precision] : words) EXPECT_EQ(read({{"AB_PRECISION", word}}).settings.precision, precision) << word;
}

TEST(Settings, Booleans) {
  for (const char* off : {"", "0", "00", "0x", "off", "OFF", "no", "False"}) {
    EXPECT_FALSE(read({{"AB_REPRODUCIBLE", off}}).settings.reproducible) << off;
  }
  for (const char* on : {"1", "on", "yes", "true", "x", "2"}) EXPECT_TRUE(read({{"AB_REPRODUCIBLE", on}}).settings.reproducible) << on;
}

struct Bad {
  const char* name;
  const char* value;
  const char* default_named;  // what the warning must say is used instead
};
constexpr Bad bad_values[] = {{"AB_MODE", "gup", "auto"},
                              {"AB_MIN_GPU_DIM", "abc", "32"},
                              {"AB_MIN_GPU_DIM", "-1", "32"},
                              {"AB_MIN_GPU_DIM", "12x", "32"},
                              {"AB_MIN_GPU_DIM", "99999999999999999999", "32"},
                              {"AB_PRECISION", "quad", "fp64"},
                              {"AB_DEVICE", "abacus", "default"},
                              {"AB_DEVICE", "cuda:", "default"},
                              {"AB_DEVICE", "cuda:-1", "default"},
                              {"AB_DEVICE", "cpu:0", "default"},
                              {"AB_STAGING_MB", "-1", "2048"},
                              {"AB_STAGING_MB", "1e3", "2048"},
                              {"AB_STAGING_MB", "9223372036854775807", "2048"},
                              {"AB_CUDA_KERNELS", "fast", "using best"},
                              {"AB_METAL_KERNELS", "fast", "using best"},
                              {"AB_VULKAN_KERNELS", "fast", "using best"},
                              {"AB_NUM_THREADS", "-3", "using "},
                              {"AB_NUM_THREADS", "0", "using "},
                              {"AB_DISABLE", "dgem", "the others count"},
                              {"AB_SPLIT", "half", "off"},
                              {"AB_SPLIT", "0", "off"},
                              {"AB_SPLIT", "1", "off"},
                              {"AB_SPLIT", "0.5x", "off"},
                              {"AB_SPLIT", "nan", "off"},
                              {"AB_PROFILE_THRESHOLD_NS", "-1", "using 0"},
                              {"AB_PROFILE_THRESHOLD_NS", "1us", "using 0"}};

TEST(Settings, ABadValueIsOneComplaintWithNameValueAndDefault) {
  for (const Bad& bad : bad_values) {
    const auto [settings, complaints] = read({{bad.name, bad.value}});
    ASSERT_EQ(complaints.size(), 1u) << bad.name << "=" << bad.value;
    EXPECT_NE(complaints[0].find(bad.name), std::string::npos) << complaints[0];
    EXPECT_NE(complaints[0].find(std::string("\"") + bad.value + "\""), std::string::npos) << complaints[0];
    EXPECT_NE(complaints[0].find(bad.default_named), std::string::npos) << complaints[0];
    EXPECT_EQ(complaints[0].find('\n'), std::string::npos);
    EXPECT_EQ(settings.mode, Mode::Auto);
    EXPECT_EQ(settings.min_gpu_dim, 32);
    EXPECT_EQ(settings.precision, Precision::Fp64);
    EXPECT_EQ(settings.device, "");
    EXPECT_EQ(settings.staging_mb, -1);
    EXPECT_GE(settings.num_threads, 1);
  }
}

TEST(Settings, AComplaintIsOneLineWhateverTheValue) {
  const auto [settings, complaints] = read({{"AB_MODE", "two\nlines"}, {"AB_DISABLE", "d\tgemm"}});
  ASSERT_EQ(complaints.size(), 2u);
  EXPECT_NE(complaints[0].find("AB_MODE=\"two?lines\" "), std::string::npos) << complaints[0];
  for (const std::string& complaint : complaints) EXPECT_EQ(complaint.find_first_of("\n\t"), std::string::npos);
}

TEST(Settings, SeveralBadValuesAreOneComplaintEach) {
  const auto [settings, complaints] = read({{"AB_MODE", "x"}, {"AB_PRECISION", "y"}, {"AB_DISABLE", "p,q,dgemm"}});
  EXPECT_EQ(complaints.size(), 3u);
  ASSERT_EQ(settings.disabled.size(), 1u);
  EXPECT_EQ(settings.disabled[0], "dgemm");
}

TEST(Settings, RetiredVariablesAreNamedOnce) {
  for (const char* name : {"AB_CROSSOVER_FLOPS", "AB_CROSSOVER_FLOPS_REAL", "AB_PROFILE_FILE"}) {
    const auto [settings, complaints] = read({{name, "7"}});
    ASSERT_EQ(complaints.size(), 1u) << name;
    EXPECT_EQ(complaints[0].find(std::string(name) + "="), 0u) << complaints[0];
  }
}

TEST(Settings, DeviceWords) {
  for (const char* word : {"cpu", "cuda", "cuda:0", "CUDA:12", "metal", "vulkan", "vulkan:1"}) {
    const auto [settings, complaints] = read({{"AB_DEVICE", word}});
    EXPECT_TRUE(complaints.empty()) << word;
    EXPECT_NE(settings.device, "") << word;
    for (const char c : settings.device) EXPECT_FALSE(c >= 'A' && c <= 'Z') << word;
  }
}

TEST(Settings, Integers) {
  EXPECT_EQ(read({{"AB_MIN_GPU_DIM", "0"}}).settings.min_gpu_dim, 0);
  EXPECT_EQ(read({{"AB_MIN_GPU_DIM", "9223372036854775807"}}).settings.min_gpu_dim, INT64_MAX);
  EXPECT_EQ(read({{"AB_STAGING_MB", "0"}}).settings.staging_mb, 0);
  EXPECT_EQ(read({{"AB_STAGING_MB", " 512 "}}).settings.staging_mb, 512);
}

TEST(Settings, Threads) {
  EXPECT_EQ(read({{"AB_CUDA_KERNELS", "ampere"}}).settings.gpu_kernels.at("cuda"), GpuKernels::Ampere);
  for (const auto& [name, kind] : {std::pair("AB_CUDA_KERNELS", "cuda"), {"AB_METAL_KERNELS", "metal"}, {"AB_VULKAN_KERNELS", "vulkan"}}) {
    const Settings asked = read({{name, " Common "}}).settings;  // of one kind of device, and of no other
    EXPECT_EQ(asked.gpu_kernels.size(), 3u);
    for (const auto& [other, kernels] : asked.gpu_kernels)
      EXPECT_EQ(kernels, other == kind ? GpuKernels::Common : GpuKernels::Best) << name;
  }
  EXPECT_EQ(read({{"AB_NUM_THREADS", "3"}, {"OMP_NUM_THREADS", "5"}}).settings.num_threads, 3);
  EXPECT_EQ(read({{"OMP_NUM_THREADS", "5"}}).settings.num_threads, 5);
  EXPECT_EQ(read({{"OMP_NUM_THREADS", "4,2"}}).settings.num_threads, 4);
  EXPECT_EQ(read({{"AB_NUM_THREADS", "0"}, {"OMP_NUM_THREADS", "5"}}).settings.num_threads, 5);
  const auto [settings, complaints] = read({{"OMP_NUM_THREADS", "many"}});
  EXPECT_TRUE(complaints.empty());  // not our variable to judge
  EXPECT_GE(settings.num_threads, 1);
}

TEST(Settings, SplitIsOffAutoOrAShare) {
  for (const char* off : {"", "off", "OFF"}) EXPECT_EQ(read({{"AB_SPLIT", off}}).settings.split.mode, Split::Mode::Off) << off;
  EXPECT_EQ(read({{"AB_SPLIT", " Auto "}}).settings.split.mode, Split::Mode::Auto);
  for (const auto& [word, share] : {std::pair{"0.25", 0.25}, {"1e-3", 1e-3}, {" .5", 0.5}}) {
    const auto [settings, complaints] = read({{"AB_SPLIT", word}});
    EXPECT_TRUE(complaints.empty()) << word;
    EXPECT_EQ(settings.split.mode, Split::Mode::Share);
    EXPECT_EQ(settings.split.share, share);
  }
}

TEST(Settings, DisabledRoutines) {
  const auto [settings, complaints] = read({{"AB_DISABLE", "zherk, DSYRK,,zgemm3m"}});
  EXPECT_TRUE(complaints.empty());
  EXPECT_EQ(settings.disabled, (std::vector<std::string>{"zherk", "dsyrk", "zgemm3m"}));
}

TEST(Settings, ReportIsABooleanOrAPath) {
  EXPECT_TRUE(read({{"AB_REPORT", "1"}}).settings.report);
  EXPECT_EQ(read({{"AB_REPORT", "1"}}).settings.report_path, "");
  EXPECT_FALSE(read({{"AB_REPORT", "0"}}).settings.report);
  const Settings to_file = read({{"AB_REPORT", "./r"}}).settings;
  EXPECT_TRUE(to_file.report);
  EXPECT_EQ(to_file.report_path, "./r");
}

TEST(Settings, Profile) {
  const Settings none = read({{"AB_PROFILE", "0"}}).settings;
  EXPECT_FALSE(none.profile);
  EXPECT_EQ(none.profile_json_path, "");
  EXPECT_EQ(none.profile_threshold_ns, 0);
  const Settings both = read({{"AB_PROFILE", "1"}, {"AB_PROFILE_JSON", "/p/P"}, {"AB_PROFILE_THRESHOLD_NS", "250"}}).settings;
  EXPECT_TRUE(both.profile);
  EXPECT_EQ(both.profile_json_path, "/p/P");
  EXPECT_EQ(both.profile_threshold_ns, 250);
}

TEST(Settings, FilesArePassedAsTheyAre) {
  const Settings settings =
      read({{"AB_TRACE", "/tmp/T"}, {"AB_HOST_BLAS", "/L/libX.so"}, {"AB_DISPATCH_TABLE", "/t/Table"}, {"HOME", "/h"}}).settings;
  EXPECT_EQ(settings.trace_path, "/tmp/T");
  EXPECT_EQ(settings.host_blas, "/L/libX.so");
  EXPECT_EQ(settings.dispatch_table, "/t/Table");
  EXPECT_EQ(settings.config_home, "/h/.config");
  EXPECT_EQ(read({{"HOME", "/h"}, {"XDG_CONFIG_HOME", "/x"}}).settings.config_home, "/x");
  EXPECT_EQ(read({{"AB_DISPATCH_TABLE", "BuiltIn"}}).settings.dispatch_table, "builtin");
}

TEST(Settings, ASetUserIdProcessIgnoresWhatNamesFiles) {
  const auto [settings, complaints] = read({{"AB_TRACE", "/tmp/T"},
                                            {"AB_PROFILE_JSON", "/p/P"},
                                            {"AB_HOST_BLAS", "/L/libX.so"},
                                            {"AB_DISPATCH_TABLE", "/t/Table"},
                                            {"AB_REPORT", "/r/r"},
                                            {"HOME", "/h"},
                                            {"XDG_CONFIG_HOME", "/x"},
                                            {"AB_MODE", "gpu"}},
                                           FileVariables::Ignore);
  EXPECT_TRUE(complaints.empty());
  EXPECT_EQ(settings.trace_path + settings.host_blas + settings.dispatch_table + settings.report_path + settings.config_home +
                settings.profile_json_path,
            "");
  EXPECT_FALSE(settings.report);
  EXPECT_EQ(settings.mode, Mode::Gpu);
  EXPECT_TRUE(read({{"AB_REPORT", "1"}}, FileVariables::Ignore).settings.report);
  EXPECT_EQ(read({{"AB_DISPATCH_TABLE", "builtin"}}, FileVariables::Ignore).settings.dispatch_table, "builtin");
}

TEST(Settings, RanksOfParallelRuns) {
  const Settings open_mpi =
      read(
          {{"OMPI_COMM_WORLD_RANK", "5"}, {"OMPI_COMM_WORLD_LOCAL_RANK", "1"}, {"OMPI_COMM_WORLD_LOCAL_SIZE", "4"}, {"SLURM_LOCALID", "9"}})
          .settings;
  EXPECT_EQ(open_mpi.rank, 5);
  EXPECT_EQ(open_mpi.local_rank, 1);
  EXPECT_EQ(open_mpi.local_size, 4);
  const Settings slurm = read({{"SLURM_LOCALID", "2"}, {"SLURM_NTASKS_PER_NODE", "3"}, {"MPI_LOCALRANKID", "x"}}).settings;
  EXPECT_EQ(slurm.local_rank, 2);
  EXPECT_EQ(slurm.local_size, 3);
}

TEST(Settings, TheProcessReadsOnce) {
  const Settings& first = settings();
  setenv("AB_MODE", first.mode == Mode::Gpu ? "cpu" : "gpu", 1);
  EXPECT_EQ(&settings(), &first);
  EXPECT_EQ(settings_for_exit().mode, first.mode);
  unsetenv("AB_MODE");
}

TEST(Settings, AWarningIsOneLineOnStandardError) {
  testing::internal::CaptureStderr();
  warn("AB_MODE=\"gup\" is none of auto, cpu, gpu; using auto");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "apple-bottom: AB_MODE=\"gup\" is none of auto, cpu, gpu; using auto\n");
}

}  // namespace
}  // namespace ab
