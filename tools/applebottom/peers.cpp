// SPDX-License-Identifier: MIT
#include "peers.hpp"

#include <dlfcn.h>
#include <fmt/core.h>

#include <cstdint>
#include <cstring>

#include "options.hpp"

namespace ab::cli {
namespace {

// Their own symbols first: two copies of one library, or one beside a BLAS that was preloaded, would otherwise run pieces of each other.
#if defined(RTLD_DEEPBIND)
constexpr int own_symbols_first = RTLD_DEEPBIND;
#else
constexpr int own_symbols_first = 0;
#endif

template <class Function>
Function* function_in(void* handle, const char* name) {
  void* address = dlsym(handle, name);
  Function* typed = nullptr;
  std::memcpy(&typed, &address, sizeof typed);
  return typed;
}

struct MklVersion {  // MKLVersion of mkl_service.h
  int major, minor, update;
  const char *status, *build, *processor, *platform;
};

std::string kernel_of(void* handle) {
  if (auto* name = function_in<const char*()>(handle, "openblas_get_corename")) return name();
  auto* blis_id = function_in<int()>(handle, "bli_arch_query_id");
  auto* blis_name = function_in<const char*(int)>(handle, "bli_arch_string");
  if (blis_id != nullptr && blis_name != nullptr) return blis_name(blis_id());
  if (auto* describe = function_in<void(MklVersion*)>(handle, "MKL_Get_Version")) {
    MklVersion version = {};
    describe(&version);
    return version.processor != nullptr ? version.processor : "";
  }
  return "";
}

std::optional<int> threads_of(void* handle) {
  for (const char* name : {"openblas_get_num_threads", "MKL_Get_Max_Threads"}) {
    if (auto* threads = function_in<int()>(handle, name)) return threads();
  }
  if (auto* threads = function_in<std::int64_t()>(handle, "bli_thread_get_num_threads")) {
    const std::int64_t count = threads();
    if (count > 0) return static_cast<int>(count);  // -1: chosen per product
  }
  return std::nullopt;
}

Peer open_peer(const std::string& file) {
  if (file.empty()) throw Failure(Exit::WrongUsage, "--against takes files, separated by commas");
  void* handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL | own_symbols_first);
  if (handle == nullptr) {
    const char* error = dlerror();
    throw Failure(Exit::NotAvailable,
                  fmt::format("--against: {} cannot be opened: {}", file, error != nullptr ? error : "no reason given"));
  }
  std::string refusal;
  const std::optional<host_blas::Library> library = host_blas::library_behind(handle, refusal);
  if (!library) throw Failure(Exit::NotAvailable, fmt::format("--against: {} {}", file, refusal));
  const std::string kernel = kernel_of(handle);
  return {file, short_name(*library, kernel), kernel, threads_of(handle), *library};
}

}  // namespace

std::string short_name(const host_blas::Library& library, const std::string& kernel) {
  constexpr std::string_view mkl = "Math Kernel Library Version ";
  std::string name = library.version.empty() ? library.file : library.version;
  if (const std::size_t at = name.find(mkl); at != std::string::npos) {
    const std::string number = name.substr(at + mkl.size());
    name = "MKL " + number.substr(0, number.find_first_not_of("0123456789."));
  }
  const bool one_word = !kernel.empty() && kernel.find(' ') == std::string::npos;
  return one_word ? name + " " + kernel : name;
}

std::vector<Peer> open_peers(const std::vector<std::string>& files) {
  std::vector<Peer> peers;
  for (const std::string& file : files) {
    Peer peer = open_peer(file);
    int namesakes = 0;
    for (const Peer& other : peers) namesakes += short_name(other.library, other.kernel) == peer.name ? 1 : 0;
    if (namesakes > 0) peer.name += fmt::format(" #{}", namesakes + 1);
    peers.push_back(peer);
  }
  return peers;
}

}  // namespace ab::cli
