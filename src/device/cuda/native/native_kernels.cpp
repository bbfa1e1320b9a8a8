// SPDX-License-Identifier: MIT
#include "device/cuda/native/native_kernels.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <utility>

#include "device/cuda/native/constants.hpp"
#include "device/cuda/native/native_image.hpp"

namespace ab::device::cuda::native {
namespace {

constexpr const char* function_names[] = {"product_small",
                                          "product_large",
                                          "product_warps",
                                          "result_13",
                                          "result_14",
                                          "result_15",
                                          "result_16",
                                          "result_20",
                                          "result_13_3m",
                                          "result_14_3m",
                                          "result_15_3m",
                                          "result_16_3m",
                                          "result_20_3m",
                                          "residues_along_real",
                                          "residues_along_complex",
                                          "residues_across_real",
                                          "residues_across_complex",
                                          "scan_long_real",
                                          "scan_long_complex",
                                          "scan_short_real",
                                          "scan_short_complex",
                                          "scan_across_real",
                                          "scan_across_complex"};

constexpr Index ceiling(Index x, Index unit) {
  return (x + unit - 1) / unit;
}

template <class Params>
Params params_of(std::span<const std::byte> bytes) {
  assert(bytes.size() == sizeof(Params));
  Params p;
  std::memcpy(&p, bytes.data(), sizeof p);
  return p;
}

template <class T>
T* pointer_to(Address address, std::uint64_t words = 0) {
  return reinterpret_cast<T*>(address + 8 * words);
}

// By warpgroups two tile heights: pairs of 128 columns waste least on small results, 192 columns move fewest bytes per operation on large
// ones. By warps one: a block's registers hold no more sums.
struct Tiling {
  int slabs;
  Pairing pairing;
  int group;  // warpgroups: measured on an H200 (prototype, 2026-11-30); warps: 16 x 8 tiles at a time, the squarest for 108 to 144 blocks
  int block_terms;
};
constexpr Tiling small_tiling = {2, Pairing::Columns, 8, block_terms}, large_tiling = {3, Pairing::Rows, 18, block_terms};
constexpr Tiling warp_tiling = {warp_slabs, Pairing::None, 16, warp_block_terms};

Tiling choose_tiling(const PlaneProduct& product) {
  constexpr Index many_entries = Index{4608} * 4608;  // between the sizes where each was measured to win
  const bool large = product.tiles == Tiles::Best ? product.rows * product.columns >= many_entries : product.tiles == Tiles::Large;
  return large ? large_tiling : small_tiling;
}

ProductParams product_params(const PlaneProduct& product, const Tiling& tiling) {
  ProductParams p{};
  p.results = pointer_to<unsigned char>(product.results);
  p.slabs = static_cast<int>(ceiling(product.columns, slab_columns));
  p.row_tiles = static_cast<int>(ceiling(product.rows, tile_rows));
  p.first_column = static_cast<int>(product.first_column);
  p.first_row = static_cast<int>(product.first_row);
  p.blocks = static_cast<int>(ceiling(product.inner_padded, tiling.block_terms));
  p.planes_per_modulus = product.products;
  const Index column_tiles = ceiling(p.slabs, tiling.slabs);
  p.schedule.column_tiles = static_cast<int>(tiling.pairing == Pairing::Columns ? ceiling(column_tiles, 2) : column_tiles);
  p.schedule.row_tiles = static_cast<int>(tiling.pairing == Pairing::Rows ? ceiling(p.row_tiles, 2) : p.row_tiles);
  p.schedule.group = tiling.group;
  p.schedule.planes = product.moduli * product.products;
  const Index terms = std::min<Index>(Index{p.blocks} * tiling.block_terms, chunk_terms) + 1;  // 1: for what is carried on
  for (int l = 0; l < product.moduli; ++l) p.moduli[l] = product_modulus(moduli_list[l], terms);
  return p;
}

TensorMap tensor_map(PrimaryContext& context, Address planes, Index inner_padded, Index vectors, Index plane_count, unsigned box_vectors) {
  TensorMap map;
  const std::uint64_t extents[] = {static_cast<std::uint64_t>(inner_padded), static_cast<std::uint64_t>(vectors),
                                   static_cast<std::uint64_t>(plane_count)};
  const std::uint64_t strides[] = {extents[0], extents[0] * extents[1]};
  const std::uint32_t box[] = {block_terms, box_vectors, 1}, steps[] = {1, 1, 1};
  context.check(context.driver().tensor_map_encode(&map, tensor_bytes, 3, reinterpret_cast<void*>(planes), extents, strides, box, steps,
                                                   tensor_not_interleaved, tensor_swizzle_128, tensor_l2_lines_256, tensor_zeros_outside),
                "cuTensorMapEncodeTiled");
  return map;
}

// Whether words of an operand can be loaded two at a time.
Loads loads_of(const kernels::vector_view& v, unsigned first_term, const double* re_words, const double* im_words) {
  const auto re = reinterpret_cast<Address>(re_words), im = reinterpret_cast<Address>(im_words);
  if (re % 16 != 0 || v.vector_stride % 2 != 0) return Loads::Words;
  if (v.parts == 2 && v.inner_stride % 2 == 0 && im == re + 8) return Loads::Interleaved;
  return v.inner_stride == 1 && first_term % 2 == 0 && (v.parts == 1 || im % 16 == 0) ? Loads::Terms : Loads::Words;
}

// Whether terms of a vector, rather than vectors, are neighbours in memory.
bool is_along(const kernels::vector_view& v) {
  return std::abs(v.inner_stride) <= std::abs(v.vector_stride);
}

Store store_of(const ResultParams& p) {
  const auto re = reinterpret_cast<Address>(p.c_re), im = reinterpret_cast<Address>(p.c_im);
  const kernels::result_view& c = p.p.c;
  if (re % 16 != 0 || c.column_stride % 2 != 0) return Store::Words;
  if (c.parts == 2 && c.row_stride % 2 == 0 && im == re + 8) return Store::Interleaved;
  return c.row_stride == 1 && (c.parts == 1 || im % 16 == 0) ? Store::Rows : Store::Words;
}

bool is_plain(const kernels::reconstruct_params& p) {
  const kernels::scalars& s = p.s;
  const bool beta_is_zero = s.beta_re << 1 == 0 && s.beta_im << 1 == 0;
  return p.c.triangle == 0 && s.hermitian == 0 && s.alpha_re == AB_ONE && s.alpha_im << 1 == 0 && beta_is_zero;
}

// The buffers of crt_product_i8.
enum Buffer { Left, Right, Table, Whole, LeftShifts, RightShifts, Scratch, CRe, CIm };

// A row-major C is the transpose of a column-major one, and residues of both sides look alike: neighbouring sums of a thread are to be
// neighbours in memory.
struct Transposed {
  std::array<Address, 9> buffers;
  kernels::crt_product_params p;
};
Transposed transposed(std::span<const Address> given, const kernels::crt_product_params& p) {
  Transposed t{{}, p};
  std::copy(given.begin(), given.end(), t.buffers.begin());
  std::swap(t.buffers[Left], t.buffers[Right]);
  std::swap(t.buffers[LeftShifts], t.buffers[RightShifts]);
  kernels::modular_params& g = t.p.g;
  std::swap(g.left_vectors, g.right_vectors);
  std::swap(g.left_all, g.right_all);
  std::swap(g.left_first, g.right_first);
  kernels::reconstruct_params& r = t.p.r;
  std::swap(r.left_first, r.right_first);
  std::swap(r.left_half, r.right_half);
  std::swap(r.c.rows, r.c.columns);
  std::swap(r.c.row_stride, r.c.column_stride);
  std::swap(r.c.row0, r.c.column0);
  if (r.c.triangle != 0) r.c.triangle = 3 - r.c.triangle;  // upper, lower
  return t;
}

ResultParams result_params(std::span<const Address> buffers, const kernels::crt_product_params& p, int products) {
  ResultParams out{};
  out.results = pointer_to<unsigned char>(buffers[Scratch] + scratch_head_bytes);
  out.table = pointer_to<unsigned>(buffers[Table]);
  out.whole = pointer_to<unsigned>(buffers[Whole]);
  out.left_shifts = pointer_to<int>(buffers[LeftShifts]);
  out.right_shifts = pointer_to<int>(buffers[RightShifts]);
  out.c_re = pointer_to<kernels::ulong>(buffers[CRe], p.r.c.offset_re);
  out.c_im = pointer_to<kernels::ulong>(buffers[CIm], p.r.c.offset_im);
  out.p = p.r;
  out.store = store_of(out);
  out.plain = is_plain(p.r);
  set_up_weights(out, static_cast<int>(p.g.moduli), products);
  return out;
}

}  // namespace

std::uint64_t result_bytes(Panel panel, Index planes) {
  return static_cast<std::uint64_t>(planes * ceiling(panel.rows, tile_rows) * ceiling(panel.columns, slab_columns)) * slab_bytes;
}

Panel choose_panel(Index rows, Index columns, Index planes, std::uint64_t bytes) {
  constexpr Index even_slabs = 12;  // a multiple of both tile heights, and of pairs of the lower one
  const Index slabs = static_cast<Index>(bytes / slab_bytes) / planes, row_tiles = ceiling(rows, tile_rows);
  const Index wanted = ceiling(columns, slab_columns);
  Index across = std::min(wanted, slabs / row_tiles);
  if (across == wanted) return {rows, columns};
  if (across >= even_slabs) {
    across -= across % even_slabs;
    const Index panels = ceiling(wanted, across);
    return {rows, ceiling(ceiling(wanted, panels), even_slabs) * even_slabs * slab_columns};
  }
  across = std::min(wanted, std::max<Index>(1, std::min(even_slabs, slabs)));
  const Index down = std::max<Index>(1, slabs / across);
  return {std::min(rows, down * tile_rows), std::min(columns, across * slab_columns)};
}

std::unique_ptr<NativeKernels> NativeKernels::load(PrimaryContext& context, int ordinal, GpuKernels kernels) {
  const Driver& driver = context.driver();
  Number number = 0;
  int multiprocessors = 0;
  if (native_image_bytes == 0 || !driver.has_calls_of_native_kernels() || driver.device_get(&number, ordinal) != success) return nullptr;
  driver.device_get_attribute(&multiprocessors, MultiprocessorCount, number);
  if (kernels == GpuKernels::Common || multiprocessors < 2) return nullptr;
  const CurrentForRelease current(context);
  ModuleHandle module = nullptr;
  if (!current || driver.module_load(&module, native_image, 0, nullptr, nullptr) != success) return nullptr;
  std::unique_ptr<NativeKernels> loaded(new NativeKernels(context, module));
  loaded->multiprocessors_ = multiprocessors;
  return loaded->find_functions(kernels) ? std::move(loaded) : nullptr;
}

bool NativeKernels::find_functions(GpuKernels kernels) {
  static_assert(std::size(function_names) == FunctionCount);
  const Driver& driver = context_.driver();
  const auto find = [&](std::size_t i) { return driver.module_get_function(&functions_[i], module_, function_names[i]) == success; };
  for (std::size_t i = ProductWarps; i < FunctionCount; ++i) {
    if (!find(i)) return false;
  }
  const auto allow = [&](Function function, int bytes) {
    return driver.func_set_attribute(functions_[function], most_dynamic_shared_bytes, bytes) == success;
  };
  warpgroups_ = kernels == GpuKernels::Best && find(ProductSmall) && find(ProductLarge) &&
                allow(ProductSmall, shared_bytes(small_tiling.slabs)) && allow(ProductLarge, shared_bytes(large_tiling.slabs));
  return warpgroups_ || allow(ProductWarps, warp_shared_bytes);
}

NativeKernels::~NativeKernels() {
  const CurrentForRelease current(context_);
  if (current) context_.driver().module_unload(module_);
}

const Form* NativeKernels::form_of(const std::string& name) {
  static constexpr std::pair<const char*, Form> forms[] = {{"scan", Form::Scan},
                                                           {"residues_i8", Form::ResiduesI8},
                                                           {"crt_product_i8", Form::CrtProductI8},
                                                           {"crt_product_i8_3m", Form::CrtProductI8Complex}};
  for (const auto& [known, form] : forms) {
    if (name == known) return &form;
  }
  return nullptr;
}

void NativeKernels::launch(Function function, std::size_t groups, unsigned threads, unsigned shared, StreamHandle stream,
                           void** arguments) {
  assert(groups > 0 && groups < std::size_t{1} << 31);
  context_.check(context_.driver().launch_kernel(functions_[function], static_cast<unsigned>(groups), 1, 1, threads, 1, 1, shared, stream,
                                                 arguments, nullptr),
                 (std::string("cuLaunchKernel(") + function_names[function] + ")").c_str());
}

void NativeKernels::multiply(const PlaneProduct& product, StreamHandle stream) {
  if (warpgroups_) {
    multiply_by_warpgroups(product, stream);
  } else {
    multiply_by_warps(product, stream);
  }
}

void NativeKernels::multiply_by_warps(const PlaneProduct& product, StreamHandle stream) {
  const auto planes = [&](Address at, Index vectors) {
    return Planes{pointer_to<const unsigned char>(at), static_cast<int>(vectors), static_cast<int>(product.inner_padded)};
  };
  ProductParams p = product_params(product, warp_tiling);
  Planes right = planes(product.right, product.right_all), left = planes(product.left, product.left_all);
  void* arguments[] = {&right, &left, &p};
  const auto blocks = static_cast<std::size_t>(std::min(multiprocessors_, tiles_of(p.schedule)));
  launch(ProductWarps, blocks, warp_product_threads, warp_shared_bytes, stream, arguments);
}

void NativeKernels::multiply_by_warpgroups(const PlaneProduct& product, StreamHandle stream) {
  constexpr Index long_sums = 8192;  // from here on blocks would drift apart (measured)
  const Tiling tiling = choose_tiling(product);
  const bool pairs_columns = tiling.pairing == Pairing::Columns;
  ProductParams p = product_params(product, tiling);
  const unsigned columns = static_cast<unsigned>(tiling.slabs * slab_columns), planes = static_cast<unsigned>(p.schedule.planes);
  TensorMap right =
      tensor_map(context_, product.right, product.inner_padded, product.right_all, planes, pairs_columns ? columns : columns / 2);
  TensorMap left =
      tensor_map(context_, product.left, product.inner_padded, product.left_all, planes, pairs_columns ? tile_rows / 2 : tile_rows);
  if (product.inner_padded >= long_sums && product.meetings != 0) {
    p.meetings = pointer_to<unsigned>(product.meetings);
    context_.check(context_.driver().memset_words(product.meetings, 0, 1, stream), "cuMemsetD32Async");
  }
  void* arguments[] = {&right, &left, &p};
  const auto pairs = static_cast<std::size_t>(std::min(multiprocessors_ / 2, tiles_of(p.schedule)));
  launch(pairs_columns ? ProductSmall : ProductLarge, 2 * pairs, static_cast<unsigned>(tiling.slabs * warpgroup_threads),
         static_cast<unsigned>(shared_bytes(tiling.slabs)), stream, arguments);
}

void NativeKernels::reconstruct(ResultParams& p, int products, StreamHandle stream) {
  p.slabs = static_cast<int>(ceiling(p.columns, slab_columns));
  p.row_tiles = static_cast<int>(ceiling(p.rows, tile_rows));
  p.plane_bytes = static_cast<unsigned long>(result_bytes({p.rows, p.columns}, 1));
  const int place = p.count >= 13 && p.count <= 16 ? p.count - 13 : 4;
  const std::size_t threads = p.plane_bytes / (products == 1 ? 8 : 4);
  void* arguments[] = {&p};
  launch(static_cast<Function>(Result13 + place + (products == 3 ? 5 : 0)), (threads + result_threads - 1) / result_threads, result_threads,
         0, stream, arguments);
}

void NativeKernels::crt_product(std::span<const Address> buffers, const kernels::crt_product_params& p, int products, StreamHandle stream) {
  if (std::abs(p.r.c.column_stride) < std::abs(p.r.c.row_stride)) {
    const Transposed t = transposed(buffers, p);
    return crt_product(t.buffers, t.p, products, stream);
  }
  ResultParams result = result_params(buffers, p, products);
  const auto rows = static_cast<Index>(p.g.left_vectors), columns = static_cast<Index>(p.g.right_vectors);
  PlaneProduct product{};
  product.left = buffers[Left];
  product.right = buffers[Right];
  product.left_all = p.g.left_all;
  product.right_all = p.g.right_all;
  product.inner_padded = p.g.inner_padded;
  product.moduli = static_cast<int>(p.g.moduli);
  product.products = products;
  product.results = buffers[Scratch] + scratch_head_bytes;
  product.meetings = buffers[Scratch];
  const Index planes = Index{product.moduli} * products;
  const Panel panel = choose_panel(rows, columns, planes, p.scratch_bytes - scratch_head_bytes);
  assert(result_bytes(panel, planes) + scratch_head_bytes <= p.scratch_bytes);
  for (Index i = 0; i < rows; i += panel.rows) {
    for (Index j = 0; j < columns; j += panel.columns) {
      product.rows = std::min(panel.rows, rows - i);
      product.columns = std::min(panel.columns, columns - j);
      product.first_row = p.g.left_first + i;
      product.first_column = p.g.right_first + j;
      multiply(product, stream);
      result.first_row = static_cast<int>(i);
      result.first_column = static_cast<int>(j);
      result.rows = static_cast<int>(product.rows);
      result.columns = static_cast<int>(product.columns);
      reconstruct(result, products, stream);
    }
  }
}

bool NativeKernels::scan(std::span<const Address> buffers, const kernels::scan_params& params, StreamHandle stream) {
  if (params.use_inner != 0 || params.group_count != 1) return false;
  ScanParams p{};
  p.re = pointer_to<const double>(buffers[0], params.v.offset_re);
  p.im = pointer_to<const double>(buffers[1], params.v.offset_im);
  p.records = pointer_to<kernels::vector_record>(buffers[3]);
  p.profile = pointer_to<unsigned>(buffers[4]);
  p.loads = loads_of(params.v, 0, p.re, p.im);
  p.p = params;
  struct Way {
    Function function;
    int vectors, lanes;
  };
  const Way way = !is_along(params.v)                                 ? Way{ScanAcross, side_vectors, side_lanes}
                  : params.v.inner < static_cast<unsigned>(few_terms) ? Way{ScanShort, short_vectors, short_lanes}
                                                                      : Way{ScanLong, 1, long_lanes};
  const auto groups = static_cast<std::size_t>(ceiling(params.v.vectors, way.vectors));
  void* arguments[] = {&p};
  launch(static_cast<Function>(way.function + (params.v.parts == 2 ? 1 : 0)), groups, static_cast<unsigned>(way.vectors * way.lanes), 0,
         stream, arguments);
  return true;
}

bool NativeKernels::make_residues(std::span<const Address> buffers, const kernels::residues_params& params, StreamHandle stream) {
  if (params.use_inner != 0 || params.moduli > static_cast<unsigned>(most_residue_moduli)) return false;
  ResidueParams p{};
  p.re = pointer_to<const double>(buffers[0], params.v.offset_re);
  p.im = pointer_to<const double>(buffers[1], params.v.offset_im);
  p.records = pointer_to<const kernels::vector_record>(buffers[3]);
  p.shifts = pointer_to<int>(buffers[6]);
  p.planes = pointer_to<unsigned char>(buffers[5]);
  p.p = params;
  p.loads = loads_of(params.v, params.inner0, p.re, p.im);
  for (unsigned l = 0; l < params.moduli; ++l) p.moduli[l] = residue_modulus(moduli_list[l]);
  const auto vectors = static_cast<std::size_t>(params.v.vectors);
  const auto lines = static_cast<std::size_t>(ceiling(params.inner_padded, line_terms));
  const bool complex = params.v.parts == 2;
  void* arguments[] = {&p};
  if (is_along(params.v)) {
    constexpr std::size_t warps = residue_threads / 32;
    launch(complex ? AlongComplex : AlongReal, (vectors * lines + warps - 1) / warps, residue_threads, 0, stream, arguments);
  } else {
    const std::size_t tiles = (vectors + across_vectors - 1) / across_vectors;
    launch(complex ? AcrossComplex : AcrossReal, tiles * lines, across_threads, 0, stream, arguments);
  }
  return true;
}

bool NativeKernels::run(Form form, std::span<const Address> buffers, std::span<const std::byte> params, StreamHandle stream) {
  if (form == Form::Scan) return scan(buffers, params_of<kernels::scan_params>(params), stream);
  if (form == Form::ResiduesI8) return make_residues(buffers, params_of<kernels::residues_params>(params), stream);
  crt_product(buffers, params_of<kernels::crt_product_params>(params), form == Form::CrtProductI8 ? 1 : 3, stream);
  return true;
}

}  // namespace ab::device::cuda::native
