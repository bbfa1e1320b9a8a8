// SPDX-License-Identifier: MIT
#include "sim/cuda/native/native_functions.hpp"

#include <algorithm>

#include "sim/cuda/native/kernel_texts.hpp"

namespace ab::test::fake {
namespace {

using namespace ab::device::cuda::native;

template <class T>
T argument(void** arguments, int i) {
  T value;
  std::memcpy(&value, arguments[i], sizeof value);
  return value;
}

template <class T>
void make_the_hosts(Context& context, T*& pointer) {
  if (pointer != nullptr) pointer = reinterpret_cast<T*>(host_place(context, reinterpret_cast<Address>(pointer), 0));
}

template <class Body>
void for_all_threads(unsigned groups, unsigned threads, const Body& body) {
  blockDim = {threads, 1, 1};
  gridDim = {groups, 1, 1};
  for (blockIdx = {0, 0, 0}; blockIdx.x < groups; ++blockIdx.x) {
    for (threadIdx = {0, 0, 0}; threadIdx.x < threads; ++threadIdx.x) body();
  }
}

// ---- product by warpgroups
Planes planes_of(Context& context, const FakeTensor& tensor) {
  const std::byte* const at = host_place(context, tensor.planes, tensor.extents[0] * tensor.extents[1] * tensor.extents[2]);
  return {reinterpret_cast<const unsigned char*>(at), static_cast<int>(tensor.extents[1]), static_cast<int>(tensor.extents[0])};
}

// The residues of a vector; none outside of the tensor, where the device reads zeros.
const std::int8_t* residues_of(const Planes& planes, int plane, int vector) {
  return vector < planes.vectors ? reinterpret_cast<const std::int8_t*>(vector_at(planes, plane, vector)) : nullptr;
}

int dot(const std::int8_t* a, const std::int8_t* b, long from, long to) {
  unsigned sum = 0;  // as on the device, sums wrap
  for (long k = from; k < to; ++k) sum += static_cast<unsigned>(int{a[k]} * int{b[k]});
  return static_cast<int>(sum);
}

struct ProductRun {
  Planes columns, rows;
  ProductParams p;
};

void multiply_slab(const ProductRun& run, int plane, int row_tile, int slab) {
  const ProductParams& p = run.p;
  const ProductModulus& modulus = p.moduli[plane / p.planes_per_modulus];
  for (int thread = 0; thread < warpgroup_threads; ++thread) {
    int sums[thread_sums];
    for (long from = 0; from < run.rows.inner_padded; from += chunk_terms) {
      if (from > 0) carry_on(sums, modulus);
      for (int i = 0; i < thread_sums; ++i) {
        const Place place = place_of_sum(thread, i);
        const std::int8_t* const a = residues_of(run.columns, plane, p.first_column + slab * slab_columns + place.column);
        const std::int8_t* const b = residues_of(run.rows, plane, p.first_row + row_tile * tile_rows + place.row);
        if (from == 0) sums[i] = 0;
        if (a != nullptr && b != nullptr) {
          const auto more = static_cast<unsigned>(dot(a, b, from, std::min<long>(from + chunk_terms, run.rows.inner_padded)));
          sums[i] = static_cast<int>(static_cast<unsigned>(sums[i]) + more);
        }
      }
    }
    store_pieces(sums, slab_at(p, plane, row_tile, slab), pieces_of_warpgroup(thread), modulus);
  }
}

// Tiles in the schedule's order, by both blocks of each pair.
template <int warpgroups, Pairing pairing>
void multiply_all(const ProductRun& run) {
  const ProductParams& p = run.p;
  for (int tile = 0; tile < tiles_of(p.schedule); ++tile) {
    const Tile at = tile_at(p.schedule, tile);
    for (int rank = 0; rank < 2; ++rank) {
      const int column = pairing == Pairing::Columns ? 2 * at.column + rank : at.column,
                row = pairing == Pairing::Rows ? 2 * at.row + rank : at.row;
      for (int warpgroup = 0; warpgroup < warpgroups; ++warpgroup) {
        const int slab = column * warpgroups + warpgroup;
        if (slab < p.slabs && row < p.row_tiles) multiply_slab(run, at.plane, row, slab);
      }
    }
  }
}

template <int warpgroups, Pairing pairing>
std::function<void()> prepare_product(Context& context, void** arguments, unsigned groups) {
  const auto columns = argument<FakeTensor>(arguments, 0), rows = argument<FakeTensor>(arguments, 1);
  ProductRun run{planes_of(context, columns), planes_of(context, rows), argument<ProductParams>(arguments, 2)};
  const unsigned column_box = warpgroups * slab_columns / (pairing == Pairing::Columns ? 1 : 2);
  const unsigned row_box = tile_rows / (pairing == Pairing::Columns ? 2 : 1);
  if (columns.box_vectors != column_box || rows.box_vectors != row_box) violation("boxes of a wrong size", invalid_value);
  if (groups % 2 != 0) violation("blocks without a partner", invalid_value);
  make_the_hosts(context, run.p.results);
  make_the_hosts(context, run.p.meetings);
  return [run] {
    if (run.p.meetings != nullptr && *run.p.meetings != 0) violation("a counter that does not start at 0", invalid_value);
    multiply_all<warpgroups, pairing>(run);
  };
}

// ---- product by warps
// A block whose threads take each step one after the other.
struct BlockOfWarps {
  std::vector<WarpThread> threads;
  BlockOfWarps(const ProductRun& run, unsigned first, unsigned stride) {
    shared_of_block.assign(static_cast<std::size_t>(warp_shared_bytes), 0x55);
    threads.reserve(warp_product_threads);
    for (unsigned t = 0; t < warp_product_threads; ++t) threads.emplace_back(run.columns, run.rows, run.p, 0, t, first, stride);
  }
  template <class Step>
  void each(const Step& step) {
    for (threadIdx = {0, 0, 0}; threadIdx.x < warp_product_threads; ++threadIdx.x) {
      step(threads[threadIdx.x]);
      if (threadIdx.x % 32 == 31) finish_warp();
    }
  }
  void copy(int stage) {
    each([&](WarpThread& t) { t.copy(stage); });
  }
  void wait() {}
  void load(int stage, int half) {
    each([&](WarpThread& t) { t.load(stage, half); });
  }
  void multiply(int half) {
    each([&](WarpThread& t) { t.multiply(half); });
  }
  void clear() {
    each([](WarpThread& t) { t.clear(); });
  }
  void go_on(int tile) {
    each([&](WarpThread& t) { t.go_on(tile); });
  }
  void store(int tile) {
    each([&](const WarpThread& t) { t.store(tile); });
  }
};

std::function<void()> prepare_warps(Context& context, void** arguments, unsigned groups) {
  ProductRun run{argument<Planes>(arguments, 0), argument<Planes>(arguments, 1), argument<ProductParams>(arguments, 2)};
  make_the_hosts(context, run.columns.bytes);
  make_the_hosts(context, run.rows.bytes);
  make_the_hosts(context, run.p.results);
  if (static_cast<int>(groups) > tiles_of(run.p.schedule)) violation("blocks without a tile", invalid_value);
  return [run, groups] {
    for (unsigned first = 0; first < groups; ++first) {
      BlockOfWarps block(run, first, groups);
      multiply_by_warps(block, run.p, static_cast<int>(first), static_cast<int>(groups));
    }
  };
}

// ---- reconstruction
template <int most, int products>
std::function<void()> prepare_result(Context& context, void** arguments, unsigned groups) {
  auto p = argument<ResultParams>(arguments, 0);
  make_the_hosts(context, p.results);
  make_the_hosts(context, p.table);
  make_the_hosts(context, p.whole);
  make_the_hosts(context, p.left_shifts);
  make_the_hosts(context, p.right_shifts);
  make_the_hosts(context, p.c_re);
  make_the_hosts(context, p.c_im);
  if (p.count > most || (most < most_moduli && p.count != most)) violation("a result kernel for another number of moduli", invalid_value);
  return [p, groups] { for_all_threads(groups, result_threads, [&] { reconstruct<most, products>(p); }); };
}

// ---- residues
ResidueParams residue_params(Context& context, void** arguments) {
  auto p = argument<ResidueParams>(arguments, 0);
  make_the_hosts(context, p.re);
  make_the_hosts(context, p.im);
  make_the_hosts(context, p.records);
  make_the_hosts(context, p.shifts);
  make_the_hosts(context, p.planes);
  return p;
}

template <int parts>
std::function<void()> prepare_along(Context& context, void** arguments, unsigned groups) {
  return [p = residue_params(context, arguments), groups] { for_all_threads(groups, residue_threads, [&] { residues_along<parts>(p); }); };
}

template <int parts>
std::function<void()> prepare_across(Context& context, void** arguments, unsigned groups) {
  return [p = residue_params(context, arguments), groups] {
    for (unsigned block = 0; block < groups; ++block) {
      std::vector<AcrossThread<parts>> threads;
      threads.reserve(across_threads);
      for (unsigned t = 0; t < across_threads; ++t) threads.emplace_back(p, block, t);
      std::vector<double> tile(static_cast<std::size_t>(line_terms * across_vectors), std::nan(""));
      for (auto& thread : threads) thread.load();
      for (int part = 0; part < parts; ++part) {
        for (auto& thread : threads) thread.put(tile.data(), part);
        for (auto& thread : threads) thread.take(tile.data(), part);
      }
      for (auto& thread : threads) thread.store();
    }
  };
}

// ---- scan
template <int parts, int vectors, int lanes, bool across>
std::function<void()> prepare_scan(Context& context, void** arguments, unsigned groups) {
  auto p = argument<ScanParams>(arguments, 0);
  make_the_hosts(context, p.re);
  make_the_hosts(context, p.im);
  make_the_hosts(context, p.records);
  make_the_hosts(context, p.profile);
  return [p, groups] {
    using Thread = ScanThread<parts, vectors, lanes, across>;
    const auto shared = std::make_unique<ScanShared<vectors>>();
    for (unsigned block = 0; block < groups; ++block) {
      std::vector<Thread> block_threads;
      for (unsigned t = 0; t < Thread::threads; ++t) block_threads.emplace_back(p, *shared, block, t);
      const auto all = [&](const auto& step) { std::for_each(block_threads.begin(), block_threads.end(), step); };
      all([](Thread& thread) { thread.clear(); });
      all([](Thread& thread) { thread.look(); });
      all([](Thread& thread) { thread.count(); });
      all([](Thread& thread) { thread.write_record(); });
      all([](Thread& thread) { thread.find_profile(); });
      all([](Thread& thread) { thread.publish_profile(); });
    }
  };
}

constexpr unsigned product_shared(int warpgroups) {
  return static_cast<unsigned>(shared_bytes(warpgroups));
}

constexpr NativeFunction functions[] = {
    {"product_small", 256, product_shared(2), prepare_product<2, Pairing::Columns>},
    {"product_large", 384, product_shared(3), prepare_product<3, Pairing::Rows>},
    {"product_warps", warp_product_threads, warp_shared_bytes, prepare_warps},
    {"result_13", result_threads, 0, prepare_result<13, 1>},
    {"result_14", result_threads, 0, prepare_result<14, 1>},
    {"result_15", result_threads, 0, prepare_result<15, 1>},
    {"result_16", result_threads, 0, prepare_result<16, 1>},
    {"result_20", result_threads, 0, prepare_result<20, 1>},
    {"result_13_3m", result_threads, 0, prepare_result<13, 3>},
    {"result_14_3m", result_threads, 0, prepare_result<14, 3>},
    {"result_15_3m", result_threads, 0, prepare_result<15, 3>},
    {"result_16_3m", result_threads, 0, prepare_result<16, 3>},
    {"result_20_3m", result_threads, 0, prepare_result<20, 3>},
    {"residues_along_real", residue_threads, 0, prepare_along<1>},
    {"residues_along_complex", residue_threads, 0, prepare_along<2>},
    {"residues_across_real", across_threads, 0, prepare_across<1>},
    {"residues_across_complex", across_threads, 0, prepare_across<2>},
    {"scan_long_real", long_lanes, 0, prepare_scan<1, 1, long_lanes, false>},
    {"scan_long_complex", long_lanes, 0, prepare_scan<2, 1, long_lanes, false>},
    {"scan_short_real", short_vectors* short_lanes, 0, prepare_scan<1, short_vectors, short_lanes, false>},
    {"scan_short_complex", short_vectors* short_lanes, 0, prepare_scan<2, short_vectors, short_lanes, false>},
    {"scan_across_real", side_vectors* side_lanes, 0, prepare_scan<1, side_vectors, side_lanes, true>},
    {"scan_across_complex", side_vectors* side_lanes, 0, prepare_scan<2, side_vectors, side_lanes, true>},
};

}  // namespace

const NativeFunction* find_native(const char* name) {
  for (const NativeFunction& function : functions) {
    if (std::strcmp(name, function.name) == 0) return &function;
  }
  return nullptr;
}

}  // namespace ab::test::fake
