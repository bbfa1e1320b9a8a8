// SPDX-License-Identifier: MIT
#include "support/golden.hpp"

#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace ab::test {
namespace {

using Json = nlohmann::json;

Json read(const std::string& name) {
  std::ifstream file(std::string(AB_GOLDEN_FOLDER) + "/" + name);
  if (!file) throw std::runtime_error("cannot read golden file " + name);
  return Json::parse(file);
}

template <class Unsigned>
Unsigned hex(const std::string& digits) {
  return static_cast<Unsigned>(std::stoull(digits, nullptr, 16));
}

std::vector<Word> words_of(const std::string& digits) {
  std::vector<Word> out;
  for (std::size_t at = 0; at + 16 <= digits.size(); at += 16) out.push_back(hex<Word>(digits.substr(at, 16)));
  return out;
}

template <std::size_t N>
std::vector<std::array<Word, N>> word_tuples(const Json& list) {
  std::vector<std::array<Word, N>> out;
  for (const Json& item : list) {
    const std::vector<Word> words = words_of(item);
    std::copy_n(words.begin(), N, out.emplace_back().begin());
  }
  return out;
}

std::vector<double> doubles_of(const std::string& digits) {
  std::vector<double> out;
  for (const Word word : words_of(digits)) out.push_back(double_of(word));
  return out;
}

BigInt big(const std::string& digits) {
  const bool negative = digits[0] == '-';
  const BigInt magnitude("0x" + digits.substr(negative ? 1 : 0));
  return negative ? BigInt(-magnitude) : magnitude;
}

Complex scalar(const std::string& digits) {
  const std::vector<double> parts = doubles_of(digits);
  return {parts[0], parts.size() > 1 ? parts[1] : 0.0};
}

Op op_of(const std::string& letter) {
  return letter == "N" ? Op::None : letter == "T" ? Op::Transpose : Op::ConjugateTranspose;
}

Call call_of(const Json& item) {
  Call out;
  const std::string kind = item.at("kind");
  out.name = item.at("name");
  out.kind = kind == "gemm" ? Kind::Gemm : kind == "syrk" ? Kind::Syrk : Kind::Herk;
  out.type = item.at("type") == "z" ? Type::Complex : Type::Real;
  out.m = item.at("m"), out.n = item.at("n"), out.k = item.at("k");
  out.lda = item.at("lda"), out.ldc = item.at("ldc");
  out.alpha = scalar(item.at("alpha")), out.beta = scalar(item.at("beta"));
  out.a = doubles_of(item.at("a")), out.c = doubles_of(item.at("c"));
  if (out.kind == Kind::Gemm) {
    out.transa = op_of(item.at("transa")), out.transb = op_of(item.at("transb"));
    out.b = doubles_of(item.at("b")), out.ldb = item.at("ldb");
  } else {
    out.transa = op_of(item.at("trans"));
    out.triangle = item.at("uplo") == "U" ? Triangle::Upper : Triangle::Lower;
  }
  return out;
}

Verdict verdict_of(const Json& item) {
  Verdict out{doubles_of(item.at("c")), {}};
  Report& r = out.report;
  r.path = item.at("path"), r.form = item.at("form"), r.level = item.at("level"), r.reason = item.at("reason");
  r.budget = item.at("budget"), r.bound = item.at("bound"), r.look = item.at("look"), r.kappa = item.at("kappa");
  r.escalations = item.at("escalations");
  return out;
}

std::vector<GoldenProduct> load_products() {
  std::vector<GoldenProduct> out;
  const Json file = read("products.json");
  if (file.at("format") != "apple-bottom products 1") throw std::runtime_error("products.json: unknown format");
  for (const Json& item : file.at("cases")) {
    GoldenProduct& product = out.emplace_back(GoldenProduct{call_of(item), {}});
    for (const Precision precision : all_classes) product.expect[precision] = verdict_of(item.at("expect").at(word_of(precision)));
  }
  return out;
}

GoldenUnits::Scan scan_of(const Json& item) {
  GoldenUnits::Scan out{words_of(item.at("words")), item.at("zero"), 0, 0, 0, 0, 0, 0, 0, 0, {}, {}};
  for (const auto& [budget, shift] : item.at("shift").items()) out.shift[std::stoi(budget)] = shift;
  if (out.zero) return out;
  out.E = item.at("E"), out.nmin = item.at("n"), out.L = item.at("L"), out.G = item.at("G"), out.S = item.at("S");
  out.R = item.at("R").at(0), out.low = item.at("low").at(0), out.top = item.at("top").at(0);
  out.bins = item.at("bins").get<std::vector<int>>();
  return out;
}

ModuliFamily family_of(const std::string& name) {
  return name == "int8" ? ModuliFamily::Int8 : name == "ten" ? ModuliFamily::Ten : ModuliFamily::Eleven;
}

std::map<ModuliFamily, GoldenUnits::Family> families_of(const Json& table) {
  std::map<ModuliFamily, GoldenUnits::Family> out;
  for (const auto& [name, item] : table.items()) {
    GoldenUnits::Family& family = out[family_of(name)];
    family.list = item.at("list").get<std::vector<int>>();
    family.limb_bits = item.at("limb_bits");
    for (const auto& [budget, sizes] : item.at("budgets").items()) {
      family.budgets[std::stoi(budget)] = {sizes.at("count").get<int>(), sizes.at("limbs").get<int>()};
    }
  }
  return out;
}

std::array<std::uint32_t, 2> pair_of_words(const Json& item) {
  return {hex<std::uint32_t>(item.at(0)), hex<std::uint32_t>(item.at(1))};
}

/// A profile: values above 2^32 - 1 in the file mean "no nonzero vector".
std::array<std::uint32_t, 96> profile_in(const Json& item) {
  std::array<std::uint32_t, 96> out{};
  for (std::size_t h = 0; h < out.size(); ++h) {
    out[h] = static_cast<std::uint32_t>(std::min<std::uint64_t>(item.at(h).get<std::uint64_t>(), UINT32_MAX));
  }
  return out;
}

GoldenUnits load_units() {
  GoldenUnits out;
  const Json file = read("units.json");
  if (file.at("format") != "apple-bottom units 1") throw std::runtime_error("units.json: unknown format");
  out.add = word_tuples<3>(file.at("add")), out.mul = word_tuples<3>(file.at("mul")), out.fma = word_tuples<4>(file.at("fma"));
  for (const Json& x : file.at("round")) out.round.push_back({big(x.at(0)), x.at(1), hex<Word>(x.at(2))});
  for (const Json& x : file.at("integer")) out.integer.push_back({hex<Word>(x.at(0)), x.at(1), big(x.at(2))});
  for (const Json& x : file.at("scan")) out.scan.push_back(scan_of(x));
  out.moduli = families_of(file.at("moduli"));
  for (const Json& x : file.at("reconstruct")) {
    out.reconstruct.push_back({family_of(x.at(0)), x.at(1), x.at(2).get<std::vector<std::int64_t>>(), big(x.at(3))});
  }
  for (const Json& x : file.at("rearranged")) {
    out.rearranged.push_back({x.at(0), profile_in(x.at(1)), profile_in(x.at(2)), big(x.at(3))});
  }
  for (const Json& x : file.at("pair")) out.pair.push_back({hex<Word>(x.at(0)), hex<std::uint32_t>(x.at(1)), hex<std::uint32_t>(x.at(2))});
  for (const Json& x : file.at("dd")) {
    out.dd.push_back({pair_of_words(x.at("a")), pair_of_words(x.at("b")), pair_of_words(x.at("c")), pair_of_words(x.at("fma")),
                      pair_of_words(x.at("add"))});
  }
  return out;
}

}  // namespace

const std::vector<GoldenProduct>& golden_products() {
  static const std::vector<GoldenProduct> products = load_products();
  return products;
}

const GoldenUnits& golden_units() {
  static const GoldenUnits units = load_units();
  return units;
}

}  // namespace ab::test
