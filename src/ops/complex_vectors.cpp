// SPDX-License-Identifier: MIT
#include "ops/complex_vectors.hpp"

#include <algorithm>

#include "ops/cap_share.hpp"
#include "ops/elementwise.hpp"
#include "ops/gemm_steps.hpp"

namespace ab::ops {
namespace {

constexpr Index piece = Index{1} << 22;  // elements at a time, so that planes stay small (chosen; no effect on bits)

struct Planes {  // real and imaginary parts apart, packed
  Lease re, im;
  Planes(Context& context, Index count) : re(context.lease(bytes(count))), im(context.lease(bytes(count))) {}
  static std::size_t bytes(Index count) { return static_cast<std::size_t>(count) * sizeof(double); }
  ResultView view(Index count) const {
    return {.parts = {re.slice(), im.slice()}, .part_count = 2, .rows = count, .columns = 1, .row_stride = 1, .column_stride = count};
  }
};

ResultView view_of(const ComplexVector& x, Index first, Index count) {
  device::Slice re = x.first;
  re.offset += static_cast<std::size_t>(first * x.increment * 16);  // wraps as it should for negative increments
  device::Slice im = re;
  im.offset += sizeof(double);
  return {.parts = {re, im}, .part_count = 2, .rows = count, .columns = 1, .row_stride = 2 * x.increment, .column_stride = 0};
}

Planes gather(Context& context, const ComplexVector& x, Index first, Index count) {
  Planes planes(context, count);
  transfer(context, view_of(x, first, count), planes.view(count), Triangle::Full);
  return planes;
}

void scatter(Context& context, const Planes& planes, const ComplexVector& x, Index first, Index count) {
  transfer(context, planes.view(count), view_of(x, first, count), Triangle::Full);
}

// re = s.re re - s.im im, im = s.re im + s.im re.
void multiply(Context& context, Complex s, const Planes& x, Index count) {
  const Planes by_re(context, count), by_im(context, count);
  const auto times = [&](double factor, const Lease& from, const Lease& to) {
    combine(context, Elementwise::Scale, from.slice(), from.slice(), to.slice(), count, factor);
  };
  times(s.real(), x.re, by_re.re);
  times(s.imag(), x.im, by_im.im);
  times(s.real(), x.im, by_re.im);
  times(s.imag(), x.re, by_im.re);
  combine(context, Elementwise::Subtract, by_re.re.slice(), by_im.im.slice(), x.re.slice(), count, 1);
  combine(context, Elementwise::Add, by_re.im.slice(), by_im.re.slice(), x.im.slice(), count, 1);
}

template <class Work>
void by_pieces(Context& context, Index count, const Work& work) {
  constexpr double most_planes = 8;
  const CapShare share(context, {}, {most_planes * sizeof(double) * static_cast<double>(std::min(count, piece)), 0});
  for (const Block& block : blocks_of(count, piece)) work(block.first, block.count);
}

// One place takes all sums: in order, on the host.
void accumulate(Context& context, const Planes& terms, const ComplexVector& y, Index count) {
  const auto bytes = static_cast<std::size_t>(count) * sizeof(double);
  std::vector<double> re(static_cast<std::size_t>(count)), im(re.size()), sum(2);
  context.queue().read(terms.re.memory(), 0, std::as_writable_bytes(std::span(re)).first(bytes));
  context.queue().read(terms.im.memory(), 0, std::as_writable_bytes(std::span(im)).first(bytes));
  context.queue().read(*y.first.memory, y.first.offset, std::as_writable_bytes(std::span(sum)));
  for (std::size_t i = 0; i < re.size(); ++i) {
    sum[0] += re[i];
    sum[1] += im[i];
  }
  context.queue().write(*y.first.memory, y.first.offset, std::as_bytes(std::span<const double>(sum)));
}

}  // namespace

void conjugate(Context& context, const ComplexVector& x, Index count) {
  by_pieces(context, count, [&](Index first, Index size) {
    const Planes planes = gather(context, x, first, size);
    combine(context, Elementwise::Scale, planes.im.slice(), planes.im.slice(), planes.im.slice(), size, -1.0);
    scatter(context, planes, x, first, size);
  });
}

void scale(Context& context, Complex alpha, const ComplexVector& x, Index count) {
  by_pieces(context, count, [&](Index first, Index size) {
    const Planes planes = gather(context, x, first, size);
    multiply(context, alpha, planes, size);
    scatter(context, planes, x, first, size);
  });
}

void add_scaled(Context& context, Complex alpha, const ComplexVector& x, const ComplexVector& y, Index count) {
  by_pieces(context, count, [&](Index first, Index size) {
    const Planes terms = gather(context, x, first, size);
    multiply(context, alpha, terms, size);
    if (y.increment == 0) return accumulate(context, terms, y, size);
    const Planes sums = gather(context, y, first, size);
    combine(context, Elementwise::Add, sums.re.slice(), terms.re.slice(), sums.re.slice(), size, 1);
    combine(context, Elementwise::Add, sums.im.slice(), terms.im.slice(), sums.im.slice(), size, 1);
    scatter(context, sums, y, first, size);
  });
}

}  // namespace ab::ops
