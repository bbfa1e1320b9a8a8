// SPDX-License-Identifier: MIT
#include "core/settings.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cctype>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <limits>
#include <locale>
#include <memory>
#include <optional>
#include <sstream>
#include <string_view>
#include <utility>
#if defined(__linux__)
#include <sys/auxv.h>
#endif

#include "core/cpus.hpp"
#include "core/process.hpp"
#include "core/routines.hpp"

namespace ab {
namespace {

std::string lower_case(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return lower;
}

std::string_view trimmed(std::string_view text) {
  const auto is_blank = [](char c) { return c == ' ' || c == '\t'; };
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

std::optional<Index> parse_integer(std::string_view text) {
  Index value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// By a stream with the C locale: the program's own locale must not change what a number means.
std::optional<double> parse_number(std::string_view text) {
  std::istringstream stream{std::string(text)};
  stream.imbue(std::locale::classic());
  double value = 0;
  if (!(stream >> value) || stream.peek() != std::istringstream::traits_type::eof()) return std::nullopt;
  return value;
}

bool is_true(std::string_view text) {
  const std::string word = lower_case(trimmed(text));
  return !(word.empty() || word.front() == '0' || word == "off" || word == "no" || word == "false");
}

template <class Value>
struct Word {
  std::string_view text;
  Value value;
};

constexpr Word<Mode> mode_words[] = {{"auto", Mode::Auto}, {"a", Mode::Auto},  {"cpu", Mode::Cpu}, {"c", Mode::Cpu},     {"off", Mode::Cpu},
                                     {"host", Mode::Cpu},  {"gpu", Mode::Gpu}, {"g", Mode::Gpu},   {"device", Mode::Gpu}};
constexpr Word<Precision> precision_words[] = {{"dd", Precision::DoubleFloat},
                                               {"fast", Precision::Fast},
                                               {"fp64", Precision::Fp64},
                                               {"strict", Precision::Strict},
                                               {"exact", Precision::Exact}};
constexpr Word<CpuKernels> kernel_words[] = {{"best", CpuKernels::Best}, {"amx", CpuKernels::Amx},   {"vnni", CpuKernels::Vnni},
                                             {"avx2", CpuKernels::Avx2}, {"neon", CpuKernels::Neon}, {"common", CpuKernels::Common}};
constexpr Word<GpuKernels> cuda_kernel_words[] = {
    {"best", GpuKernels::Best}, {"ampere", GpuKernels::Ampere}, {"common", GpuKernels::Common}};
constexpr Word<GpuKernels> gpu_kernel_words[] = {{"best", GpuKernels::Best}, {"common", GpuKernels::Common}};
constexpr const char* retired_names[] = {"AB_CROSSOVER_FLOPS", "AB_CROSSOVER_FLOPS_REAL", "AB_PROFILE_FILE"};

/// cpu, metal, cuda, cuda:N, vulkan or vulkan:N.
bool names_device(std::string_view word) {
  if (word == "cpu" || word == "metal") return true;
  const std::string_view kind = word.substr(0, word.find(':'));
  if (kind != "cuda" && kind != "vulkan") return false;
  if (word.size() == kind.size()) return true;
  const std::optional<Index> number = parse_integer(word.substr(kind.size() + 1));
  return number && *number >= 0;
}

/// Takes one variable after the other; what is wrong becomes one complaint per variable.
class Environment {
 public:
  Environment(const char* (*get)(const char* name), std::vector<std::string>& complaints, FileVariables files)
      : get_(get), complaints_(complaints), files_(files) {}

  std::string_view text(const char* name) const {  // "" when unset
    const char* value = get_(name);
    return value == nullptr ? std::string_view() : std::string_view(value);
  }

  std::string file(const char* name) const { return files_ == FileVariables::Ignore ? std::string() : std::string(text(name)); }

  /// One line, whatever the value is.
  void complain(const char* name, std::string_view why) {
    std::string complaint = std::string(name) + "=\"" + std::string(text(name)) + "\" " + std::string(why);
    for (char& c : complaint) {
      if (static_cast<unsigned char>(c) < 0x20) c = '?';
    }
    complaints_.push_back(std::move(complaint));
  }

  template <class Value, std::size_t count>
  Value word(const char* name, const Word<Value> (&words)[count], Value otherwise, std::string_view complaint) {
    const std::string given = lower_case(trimmed(text(name)));
    if (given.empty()) return otherwise;
    for (const Word<Value>& known : words) {
      if (known.text == given) return known.value;
    }
    complain(name, complaint);
    return otherwise;
  }

  Index integer(const char* name, Index least, Index most, Index otherwise, std::string_view complaint) {
    const std::string_view given = trimmed(text(name));
    if (given.empty()) return otherwise;
    const std::optional<Index> value = parse_integer(given);
    if (value && *value >= least && *value <= most) return *value;
    complain(name, complaint);
    return otherwise;
  }

  /// The first of several variables of other owners that holds an integer >= least; theirs to complain about, not ours.
  int first_integer(std::initializer_list<const char*> names, Index least, int otherwise) const {
    for (const char* name : names) {
      const std::string_view given = trimmed(text(name));
      const std::optional<Index> value = parse_integer(trimmed(given.substr(0, given.find(','))));  // OMP_NUM_THREADS=4,2
      if (value && *value >= least && *value <= std::numeric_limits<int>::max()) return static_cast<int>(*value);
    }
    return otherwise;
  }

 private:
  const char* (*get_)(const char* name);
  std::vector<std::string>& complaints_;
  FileVariables files_;
};

std::string read_device(Environment& environment) {
  const std::string word = lower_case(trimmed(environment.text("AB_DEVICE")));
  if (word.empty() || names_device(word)) return word;
  environment.complain("AB_DEVICE", "is none of cpu, cuda[:n], metal, vulkan[:n]; using the default device");
  return "";
}

int read_threads(Environment& environment) {
  constexpr Index most_threads = 1 << 16;
  const int of_openmp = environment.first_integer({"OMP_NUM_THREADS"}, 1, 0);
  const int otherwise = of_openmp > 0 ? of_openmp : usable_cpus();
  const std::string complaint = "is no integer >= 1; using " + std::to_string(otherwise);
  return static_cast<int>(environment.integer("AB_NUM_THREADS", 1, most_threads, otherwise, complaint));
}

std::vector<std::string> read_disabled(Environment& environment) {
  std::vector<std::string> routines;
  std::string unknown;
  std::string_view rest = environment.text("AB_DISABLE");
  while (!rest.empty()) {
    const std::size_t comma = std::min(rest.find(','), rest.size());
    const std::string name = lower_case(trimmed(rest.substr(0, comma)));
    rest.remove_prefix(std::min(comma + 1, rest.size()));
    if (name.empty()) continue;
    if (find_routine(name) != nullptr) {
      routines.push_back(name);
    } else {
      unknown += (unknown.empty() ? "" : ", ") + name;
    }
  }
  if (!unknown.empty()) environment.complain("AB_DISABLE", "names no routine of ours: " + unknown + "; the others count");
  return routines;
}

Split read_split(Environment& environment) {
  const std::string word = lower_case(trimmed(environment.text("AB_SPLIT")));
  if (word.empty() || word == "off") return {};
  if (word == "auto") return {Split::Mode::Auto, 0};
  const std::optional<double> share = parse_number(word);
  if (share && *share > 0 && *share < 1) return {Split::Mode::Share, *share};
  environment.complain("AB_SPLIT", "is none of off, auto, a number between 0 and 1; using off");
  return {};
}

void read_outputs(Environment& environment, Settings& settings) {
  const std::string_view report = environment.text("AB_REPORT");
  if (report.find('/') != std::string_view::npos) {
    settings.report_path = environment.file("AB_REPORT");
    settings.report = !settings.report_path.empty();
  } else {
    settings.report = is_true(report);
  }
  settings.trace_path = environment.file("AB_TRACE");
  settings.profile = is_true(environment.text("AB_PROFILE"));
  settings.profile_json_path = environment.file("AB_PROFILE_JSON");
  settings.profile_threshold_ns =
      environment.integer("AB_PROFILE_THRESHOLD_NS", 0, std::numeric_limits<Index>::max(), 0, "is no integer >= 0; using 0");
}

std::string read_config_home(const Environment& environment) {
  std::string folder = environment.file("XDG_CONFIG_HOME");
  if (!folder.empty()) return folder;
  folder = environment.file("HOME");
  return folder.empty() ? folder : folder + "/.config";
}

void read_ranks(const Environment& environment, Settings& settings) {
  settings.rank = environment.first_integer({"OMPI_COMM_WORLD_RANK", "PMI_RANK", "SLURM_PROCID"}, 0, -1);
  settings.local_rank = environment.first_integer({"OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID", "SLURM_LOCALID"}, 0, -1);
  settings.local_size = environment.first_integer({"OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS", "SLURM_NTASKS_PER_NODE"}, 1, 1);
}

/// Valid requests for what this version does not have, and variables of earlier versions: said once, never silently ignored.
void complain_of_the_unused(Environment& environment) {
  for (const char* name : retired_names) {
    if (!environment.text(name).empty()) environment.complain(name, "is no longer used; see docs/integration.md");
  }
}

const char* process_environment(const char* name) {
  return std::getenv(name);
}

FileVariables trust_in_files() {
#if defined(__linux__)
  return getauxval(AT_SECURE) != 0 ? FileVariables::Ignore : FileVariables::Obey;
#else
  return issetugid() != 0 ? FileVariables::Ignore : FileVariables::Obey;
#endif
}

constinit std::atomic<const Settings*> the_settings{nullptr};

// Threads that come at the same time may all read; one of them publishes and complains. No lock, so none can be left held by a fork.
const Settings& publish_settings() {
  watch_forks();  // from now on a child differs from its parent
  std::vector<std::string> complaints;
  auto fresh = std::make_unique<const Settings>(read_settings(process_environment, complaints, trust_in_files()));
  const Settings* published = nullptr;
  if (!the_settings.compare_exchange_strong(published, fresh.get(), std::memory_order_acq_rel)) return *published;
  for (const std::string& complaint : complaints) warn(complaint);
  return *fresh.release();  // lives as long as the process
}

}  // namespace

const Settings& settings() noexcept {
  const Settings* published = the_settings.load(std::memory_order_acquire);
  if (published != nullptr) return *published;
  try {
    return publish_settings();
  } catch (...) {  // no memory to read them: the defaults serve until there is some
    static const Settings defaults;
    return defaults;
  }
}

Settings settings_for_exit() {
  if (const Settings* published = the_settings.load(std::memory_order_acquire)) return *published;
  std::vector<std::string> unheard;
  return read_settings(process_environment, unheard, trust_in_files());
}

void warn(const std::string& text) {
  const std::string line = "apple-bottom: " + text + "\n";
  std::string_view rest = line;
  while (!rest.empty()) {  // one write in general, so that ranks that share stderr do not mix their lines
    const ssize_t written = ::write(STDERR_FILENO, rest.data(), rest.size());
    if (written < 0 && errno != EINTR) return;
    if (written > 0) rest.remove_prefix(static_cast<std::size_t>(written));
  }
}

Settings read_settings(const char* (*get)(const char* name), std::vector<std::string>& complaints, FileVariables files) {
  Environment environment(get, complaints, files);
  constexpr Index most_megabytes = Index{1} << 42;  // their number of bytes fits an Index
  Settings settings;
  settings.mode = environment.word("AB_MODE", mode_words, Mode::Auto, "is none of auto, cpu, gpu; using auto");
  settings.min_gpu_dim = environment.integer("AB_MIN_GPU_DIM", 0, std::numeric_limits<Index>::max(), 32, "is no integer >= 0; using 32");
  settings.precision =
      environment.word("AB_PRECISION", precision_words, Precision::Fp64, "is none of dd, fast, fp64, strict, exact; using fp64");
  settings.reproducible = is_true(environment.text("AB_REPRODUCIBLE"));
  settings.device = read_device(environment);
  settings.dispatch_table =
      lower_case(environment.text("AB_DISPATCH_TABLE")) == "builtin" ? "builtin" : environment.file("AB_DISPATCH_TABLE");
  settings.config_home = read_config_home(environment);
  settings.disabled = read_disabled(environment);
  settings.split = read_split(environment);
  settings.host_pack = is_true(environment.text("AB_HOST_PACK"));
  settings.staging_mb =
      environment.integer("AB_STAGING_MB", 0, most_megabytes, -1, "is no integer >= 0; using 2048, or half of a smaller device");
  settings.host_blas = environment.file("AB_HOST_BLAS");
  settings.cpu_kernels =
      environment.word("AB_CPU_KERNELS", kernel_words, CpuKernels::Best, "is none of best, amx, vnni, avx2, neon, common; using best");
  settings.gpu_kernels = {
      {"cuda", environment.word("AB_CUDA_KERNELS", cuda_kernel_words, GpuKernels::Best, "is none of best, ampere, common; using best")},
      {"metal", environment.word("AB_METAL_KERNELS", gpu_kernel_words, GpuKernels::Best, "is none of best, common; using best")},
      {"vulkan", environment.word("AB_VULKAN_KERNELS", gpu_kernel_words, GpuKernels::Best, "is none of best, common; using best")}};
  settings.num_threads = read_threads(environment);
  read_outputs(environment, settings);
  read_ranks(environment, settings);
  complain_of_the_unused(environment);
  return settings;
}

}  // namespace ab
