// SPDX-License-Identifier: MIT
#include "report/trace_text.hpp"

#include <string_view>

#include "core/version.hpp"
#include "report/json_text.hpp"

namespace ab::report {
namespace {

constexpr int trace_format = 1;

// Nanoseconds as microseconds with three decimals.
void append_microseconds(std::string& text, std::int64_t ns) {
  if (ns < 0) text += '-';
  const std::uint64_t size = ns < 0 ? 0 - static_cast<std::uint64_t>(ns) : static_cast<std::uint64_t>(ns);
  text += std::to_string(size / 1000);
  text += '.';
  const std::string decimals = std::to_string(size % 1000);
  text.append(3 - decimals.size(), '0');
  text += decimals;
}

void add_scalar(Members& members, const char* key, Complex value, bool complex) {
  std::string& text = members.name(key);
  if (complex) text += '[';
  append_double(text, value.real());
  if (!complex) return;
  text += ',';
  append_double(text, value.imag());
  text += ']';
}

const char* category_of(Api api) {
  if (api == Api::Fortran || api == Api::Cblas || api == Api::C) return "blas";
  return api == Api::DeviceBuffer ? "device_buffer" : "handle";
}

void add_result(Members& members, const ProductReport& product) {
  members.add("class", word_of(product.precision));
  members.add("engine", word_of(product.engine));
  members.add("method", word_of(method_of(product.scheme)));
  members.add("scheme", word_of(product.scheme));
}

void add_certificate(Members& members, const ProductReport& product) {
  members.add("moduli", product.moduli);
  members.add("guard", product.guard);
  if (product.bound < 0) {
    members.name("bound") += "null";
  } else {
    append_double(members.name("bound"), product.bound);
  }
  members.add("escalations", product.escalations);
  members.add("form", product.complex_form);
  members.add("reason", word_of(product.route_reason));
  members.add("fallback", word_of(product.fallback_reason));
}

void add_letters(Members& members, const Letters& letters) {
  const struct {
    const char* key;
    const char& letter;
  } all[] = {{"side", letters.side}, {"uplo", letters.uplo}, {"trans", letters.trans},
             {"ta", letters.ta},     {"tb", letters.tb},     {"diag", letters.diag}};
  for (const auto& [key, letter] : all) {
    if (letter != 0) members.add(key, std::string_view(&letter, 1));
  }
}

void add_arguments(std::string& text, const Call& call, std::uint64_t sequence) {
  Members members(text);
  members.add("seq", static_cast<std::int64_t>(sequence));
  members.add("api", word_of(call.api));
  add_letters(members, call.letters);
  members.add("m", call.m);
  members.add("n", call.n);
  members.add("k", call.k);
  members.add("lda", call.lda);
  members.add("ldb", call.ldb);
  members.add("ldc", call.ldc);
  if (call.products != 1) members.add("products", call.products);
  add_scalar(members, "alpha", call.alpha, call.complex);
  add_scalar(members, "beta", call.beta, call.complex);
  add_result(members, call.product);
  members.add("device", call.device);
  add_certificate(members, call.product);
  members.add("bytes_in", call.bytes_in);
  members.add("bytes_out", call.bytes_out);
  members.add("in_place", call.in_place);
  members.close();
}

struct Title {
  const char *name, *category;
};

/// A complete event up to its arguments.
Members begin_event(std::string& text, const TraceProcess& process, Title title, const Span& span, long thread_id) {
  Members event(text);
  event.add("name", title.name);
  event.add("cat", title.category);
  event.add("ph", "X");
  append_microseconds(event.name("ts"), static_cast<std::int64_t>(span.start_ns - process.start_ns));
  append_microseconds(event.name("dur"), static_cast<std::int64_t>(span.end_ns - span.start_ns));
  event.add("pid", process.process_id);
  event.add("tid", thread_id);
  return event;
}

}  // namespace

std::string trace_opening(const TraceProcess& process, const Facts& facts, const Settings& settings) {
  std::string text = "[\n";
  Members named(text);
  named.add("name", "process_name");
  named.add("ph", "M");
  named.add("pid", process.process_id);
  named.add("tid", 0);
  Members program(named.name("args"));
  program.add("name", process.program);
  program.close();
  named.close();
  text += ",\n";
  Members described(text);
  described.add("name", "applebottom");
  described.add("ph", "M");
  described.add("pid", process.process_id);
  described.add("tid", 0);
  Members library(described.name("args"));
  library.add("format", trace_format);
  library.add("version", version);
  library.add("unix_ns", static_cast<std::int64_t>(process.unix_ns));
  library.add("rank", settings.rank < 0 ? 0 : settings.rank);
  library.add("device", facts.device);
  library.add("device_name", facts.device_name);
  library.add("host_blas", facts.host_blas);
  library.add("mode", settings.mode == Mode::Auto ? "auto" : settings.mode == Mode::Cpu ? "cpu" : "gpu");
  library.close();
  described.close();
  return text + ",\n";
}

std::string trace_event(const TraceProcess& process, const Call& call, const Span& span, long thread_id) {
  std::string text;
  Members event = begin_event(text, process, {call.routine, category_of(call.api)}, span, thread_id);
  add_arguments(event.name("args"), call, span.sequence);
  event.close();
  return text + ",\n";
}

std::string stage_event(const TraceProcess& process, Stage stage, const Span& span, long thread_id) {
  std::string text;
  Members event = begin_event(text, process, {word_of(stage), "stage"}, span, thread_id);
  Members arguments(event.name("args"));
  arguments.add("seq", static_cast<std::int64_t>(span.sequence));
  arguments.close();
  event.close();
  return text + ",\n";
}

std::string trace_closing(const TraceProcess& process) {
  std::string text;
  Members event(text);
  event.add("name", "end");
  event.add("ph", "M");
  event.add("pid", process.process_id);
  event.add("tid", 0);
  Members(event.name("args")).close();
  event.close();
  return text + "\n]\n";
}

}  // namespace ab::report
