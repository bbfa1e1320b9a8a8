// SPDX-License-Identifier: MIT
#include "host_blas/find.hpp"

#include <dlfcn.h>

#include <cstdint>
#include <cstring>
#include <string_view>

#if defined(__APPLE__)
#include "host_blas/accelerate.hpp"
#endif

namespace ab::host_blas {
namespace {

// The object that an address lies in; null when unknown.
void* object_of(const void* address) {
  Dl_info info;
  return dladdr(address, &info) != 0 ? info.dli_fbase : nullptr;
}

bool lies_in_us(const void* address) {
  static const char anchor = 0;
  return object_of(address) == object_of(&anchor);
}

// One place to look for functions: a handle of dlopen, or RTLD_NEXT.
class Place {
 public:
  explicit Place(void* handle) : handle_(handle) {}

  /// The host BLAS that our filter library (blas/filter) names, when it is found here; null when it is not.
  const char* host_of_filter() const { return static_cast<const char*>(dlsym(handle_, "ab_filter_host")); }

  /// The function of that name outside our own library and our filter; null when there is none.
  template <class Function>
  Function* function(const char* name) const {
    void* address = dlsym(handle_, name);
    if (address == nullptr || lies_in_us(address) || lies_in_filter(address)) return nullptr;
    Function* typed = nullptr;
    std::memcpy(&typed, &address, sizeof typed);
    return typed;
  }

 private:
  bool lies_in_filter(const void* address) const {
    const char* host = host_of_filter();
    return host != nullptr && object_of(host) == object_of(address);
  }

  void* handle_;
};

/// Do plain names take 64-bit integers? A length of 3 in the low half and a negative high half is 3 to a 32-bit idamax and
/// negative (result 0) to a 64-bit one.
bool has_wide_integers(const Place& place) {
  using Idamax = std::int32_t(const void* n, const double* x, const void* increment);
  Idamax* idamax = place.function<Idamax>("idamax_");
  if (idamax == nullptr) return false;
  const std::int64_t length = INT64_MIN + 3;
  const std::int64_t increment = 1;
  const double x[] = {1, 3, 2};
  return idamax(&length, x, &increment) != 2;
}

std::string first_words(std::string_view text, int count) {
  std::size_t end = 0;
  for (int word = 0; word < count && end != std::string_view::npos; ++word) end = text.find(' ', end + 1);
  return std::string(text.substr(0, end));
}

std::string mkl_version(void (*write)(char*, int)) {
  char text[200] = "";
  write(text, sizeof text);
  const std::string_view version(text, strnlen(text, sizeof text));
  return std::string(version.substr(0, version.find_last_not_of(' ') + 1));  // npos + 1 = 0
}

std::string version_of(const Place& place) {
  if (auto* config = place.function<const char*()>("openblas_get_config")) return first_words(config(), 2);  // "OpenBLAS 0.3.21 ..."
  if (auto* version = place.function<const char*()>("bli_info_get_version_str")) return std::string("BLIS ") + version();
  for (const char* name : {"MKL_Get_Version_String", "mkl_get_version_string"}) {
    if (auto* version = place.function<void(char*, int)>(name)) return mkl_version(version);
  }
  return "";
}

std::string file_of(const void* address) {
  Dl_info info;
  if (dladdr(address, &info) == 0 || info.dli_fname == nullptr) return "";
  const std::string_view path = info.dli_fname;
  return std::string(path.substr(path.find_last_of('/') + 1));  // npos + 1 = 0
}

Functions functions_of(const Place& place, const std::string& name) {
  Functions found;
  found.fortran = place.function<Function>((name + "_").c_str());
  found.cblas = place.function<Function>(("cblas_" + name).c_str());
  found.fortran_64 = place.function<Function>((name + "_64_").c_str());
  found.cblas_64 = place.function<Function>(("cblas_" + name + "64_").c_str());
  if (found.cblas_64 == nullptr) found.cblas_64 = place.function<Function>(("cblas_" + name + "_64").c_str());
  return found;
}

/// The library at that place, or why it cannot serve.
std::optional<Library> library_at(const Place& place, std::string& refusal) {
  Function* const dgemm = place.function<Function>("dgemm_");
  if (dgemm == nullptr || place.function<Function>("zgemm_") == nullptr) {
    refusal = "has no dgemm_ and zgemm_ of its own";
    return std::nullopt;
  }
  if (has_wide_integers(place)) {
    refusal = "has 64-bit integers";
    return std::nullopt;
  }
  Library found;
  for (const Routine& routine : routines) found.functions[index_of(routine)] = functions_of(place, std::string(routine.name));
  found.file = file_of(reinterpret_cast<const void*>(dgemm));
  found.version = version_of(place);
  return found;
}

std::optional<Library> library_in_file(const char* file, int flags, std::string& refusal) {
  void* handle = dlopen(file, RTLD_NOW | RTLD_LOCAL | flags);
  const char* host = handle != nullptr ? Place(handle).host_of_filter() : nullptr;
  if (host != nullptr) handle = dlopen(host, RTLD_NOW | RTLD_LOCAL);  // our filter is no BLAS, what it stands before is
  if (handle == nullptr) {
    const char* error = dlerror();
    refusal = error != nullptr ? error : "cannot be loaded";
    return std::nullopt;
  }
  return library_at(Place(handle), refusal);  // stays loaded even when refused: unloading a BLAS that has threads is not safe
}

}  // namespace

std::optional<Library> library_behind(void* handle, std::string& refusal) {
  return library_at(Place(handle), refusal);
}

std::optional<Library> find(const std::string& asked, std::vector<std::string>& complaints) {
  std::string refusal;
  if (!asked.empty()) {
    if (auto found = library_in_file(asked.c_str(), 0, refusal)) return found;
    complaints.push_back("AB_HOST_BLAS=\"" + asked + "\" cannot be used (" + refusal + "); searching for another BLAS");
  }
#if defined(__APPLE__)
  return accelerate();  // what RTLD_NEXT finds there is Accelerate, too, under its old names
#else
  if (auto found = library_at(Place(RTLD_NEXT), refusal)) return found;
  if (auto found = library_in_file("libblas.so.3", RTLD_NOLOAD, refusal)) return found;
  for (const char* file : {"libopenblas.so.0", "libblas.so.3"}) {
    if (auto found = library_in_file(file, 0, refusal)) return found;
  }
  return std::nullopt;
#endif
}

}  // namespace ab::host_blas
