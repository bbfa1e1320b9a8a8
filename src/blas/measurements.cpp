// SPDX-License-Identifier: MIT
#include "blas/measurements.hpp"

#include <array>
#include <atomic>
#include <new>

#include "blas/device_attempt.hpp"
#include "core/settings.hpp"
#include "device/registry.hpp"
#include "host_blas/host_blas.hpp"
#include "ops/context.hpp"
#include "routing/tables.hpp"

namespace ab::blas {
namespace {

constexpr int cpu_index = 0;
constexpr std::size_t most_devices = 64;  // chosen; what lies beyond is looked up anew by each call

constinit std::array<std::atomic<const routing::Surface*>, most_devices> surfaces{};
constinit std::atomic<bool> complained{false};
constinit std::atomic<const routing::Section*> last_section{nullptr};  // for reports

const routing::Section* search(const routing::Tables& tables, int index) {
  const device::Traits& traits = device::traits_of(index);
  const std::string& cpu = device::traits_of(cpu_index).name;
  const routing::ChosenSection chosen = routing::section_for(tables, {traits.name, cpu, traits.table_kind, settings().num_threads});
  if (chosen.unmet && !complained.exchange(true)) {
    warn("AB_DISPATCH_TABLE=\"" + tables.file_name + "\" has no section for device \"" + traits.name + "\" and cpu \"" + cpu +
         "\"; using the built-in table");
  }
  return chosen.section;
}

// Whether the tables could have a section for any device here. Told without listing devices, which loads drivers: on most machines the
// built-in table is for others, and calls that stay on the host should not pay for that.
bool may_find_section(const routing::Tables& tables) {
  if (tables.empty()) return false;
  const device::Traits& cpu = device::cpu_traits();
  return tables.asked_for || routing::names_other_devices(tables, cpu.name) ||
         routing::section_for(tables, {cpu.name, cpu.name, cpu.table_kind, settings().num_threads}).section != nullptr;
}

enum class Outlook { Unknown, Nothing, Something };
constinit std::atomic<Outlook> outlook{Outlook::Unknown};

// Whether any device could have a surface that matters.
bool may_find_surface() {
  if (settings().split.mode != Split::Mode::Off) return true;
  const Outlook known = outlook.load(std::memory_order_relaxed);
  if (known != Outlook::Unknown) return known == Outlook::Something;
  const routing::Tables* tables = routing::tables();
  if (tables == nullptr) return false;  // this time
  const bool something = may_find_section(*tables);
  outlook.store(something ? Outlook::Something : Outlook::Nothing, std::memory_order_relaxed);
  return something;
}

routing::Surface search_surface(int index) {
  const routing::Tables* tables = routing::tables();
  if (tables == nullptr) throw std::bad_alloc();
  const routing::Section* section = search(*tables, index);
  if (section != nullptr) last_section.store(section);
  const device::Traits& traits = device::traits_of(index);
  return {section, traits.unified_memory, index != cpu_index, traits.fp64_product};
}

routing::Surface surface_of(int index) {
  const auto place = static_cast<std::size_t>(index);
  if (place >= most_devices) return search_surface(index);
  if (const routing::Surface* found = surfaces[place].load(std::memory_order_acquire)) return *found;
  const auto* fresh = new routing::Surface(search_surface(index));
  surfaces[place].store(fresh, std::memory_order_release);  // of several threads all find the same
  return *fresh;
}

std::string table_fact() {
  const routing::Section* section = last_section.load();
  if (section == nullptr) return "";
  const routing::Tables& tables = *routing::tables();
  std::string origin = "built-in";
  for (const routing::Section& of_file : tables.file.sections) {
    if (&of_file == section) origin = tables.file_name;
  }
  return origin + ", " + section->device + ", " + std::to_string(section->threads) + " threads";
}

}  // namespace

routing::Surface surface_of_current_device() noexcept {
  try {
    if (!may_find_surface()) return {};
    routing::Surface surface = surface_of(ops::current_device_index());
    surface.has_vendor_gemm = surface.has_vendor_gemm && vendor_gemm_usable();
    return surface;
  } catch (...) {  // devices cannot be listed, or no memory: nothing is known
    return {};
  }
}

report::Facts process_facts() {
  report::Facts facts;
  if (const host_blas::Library* host = host_blas::library()) {
    facts.host_blas = host->file;
    facts.host_blas_version = host->version;
  }
  if (const ops::DeviceUse use = ops::device_use(); use.device >= 0) {
    const device::Traits& traits = device::traits_of(use.device);
    facts.device = traits.id;
    facts.device_name = traits.name;
    facts.verdict = use.refusal.empty() ? "passed" : "refused: " + use.refusal;
    facts.cap_bytes = use.refusal.empty() ? static_cast<Index>(use.cap_bytes) : -1;
    facts.peak_bytes = static_cast<Index>(use.peak_bytes);
  }
  facts.table = table_fact();
  return facts;
}

}  // namespace ab::blas
