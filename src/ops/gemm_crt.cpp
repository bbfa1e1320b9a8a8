// SPDX-License-Identifier: MIT
// The CRT product: residues, modular products, reconstruction (docs/numerics.md 6, 7).
#include <algorithm>

#include "core/error.hpp"
#include "numerics/moduli.hpp"
#include "ops/gemm_steps.hpp"
#include "ops/resident.hpp"
#include "ops/timed.hpp"

namespace ab::ops {

// Of a block of an operand.
struct Residues {
  Lease planes;
  Lease shifts;   // of its vectors; split: of the real parts, then of the imaginary ones
  Index vectors;  // of a plane
  Index inner_padded;
};

namespace {

using numerics::ModuliSet;

// What every block of one product shares.
struct Crt {
  Context& context;
  Context& multiplier;  // where modular products are made
  const Product& product;
  const CrtPlan& plan;
  ModuliFamily family;
  const ModuliSet& set;
  int residue_bytes;
  Index planes;                           // residue planes per modulus of an operand: 1, or 3 for 3M
  Index result_planes;                    // 1, or 2 for 3M
  std::shared_ptr<const Pair> constants;  // the moduli's, and those of their product
  Lease inner;
  std::shared_ptr<const Pair> constants_of_multiplier;
  Lease scratch;  // of products that are reconstructed in the same launch; none: residues of results go through memory
};

bool is_3m(const Crt& crt) {
  return crt.product.left.part_count == 2 && !crt.plan.split;
}

const device::Traits& traits_of_multiplier(const Crt& crt) {
  return crt.multiplier.device().traits();
}

Text residue_kernel(const Crt& crt) {
  return crt.residue_bytes == 1 ? Text::ResiduesI8 : Text::ResiduesHalf;
}
Text modular_kernel(const Crt& crt) {
  if (crt.residue_bytes == 1) return is_3m(crt) ? Text::ModularGemmI8Complex : Text::ModularGemmI8;
  return is_3m(crt) ? Text::ModularGemmF32Complex : Text::ModularGemmF32;
}
Text reconstruct_kernel(const Crt& crt) {
  return crt.residue_bytes == 1 ? Text::ReconstructI8 : Text::ReconstructI16;
}

// What the residues of a block take of the operand, besides the block itself.
struct ResidueParts {
  HandSide hand;
  kernels::residues_params p;
  const Lease& inner_pairs;  // from the block's first term on
  Block vectors;
};

// Records of vectors on the product's device: where the scan left them, or a copy.
struct Records {
  Slice slice;
  Index first;
  Lease copy;
};
Records records_of(Crt& crt, HandSide hand, int part, Block vectors) {
  const bool is_left = hand == HandSide::Left;
  const Scan& scan = is_left ? *crt.plan.scans.left : *crt.plan.scans.right;
  const Index of_part = static_cast<Index>(scan.records.size()) / (crt.plan.split ? 2 : 1);
  const Index first = part * of_part + (is_left ? 0 : crt.plan.first_right) + vectors.first;
  if (scan.memory->context == &crt.context) return {scan.records_on_device, first, {}};
  Lease copy = upload(crt.context, scan.records.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(vectors.count)));
  return {copy.slice(), 0, std::move(copy)};
}

// `part` of the split form, else 0.
void launch_residues(Crt& crt, ResidueParts parts, int part, const VectorView& view, const Residues& out) {
  const Records records = records_of(crt, parts.hand, part, parts.vectors);
  kernels::residues_params& p = parts.p;
  p.v = kernel_view(view);
  p.first_vector = static_cast<kernels::uint>(part == 0 ? 0 : out.vectors / 2);
  p.first_shift = static_cast<kernels::uint>(part * parts.vectors.count);
  p.first_record = static_cast<kernels::uint>(records.first);
  p.budget = crt.plan.budget();
  p.all_vectors = static_cast<kernels::uint>(out.vectors);
  p.inner_padded = static_cast<kernels::uint>(out.inner_padded);
  p.use_inner = crt.plan.inner_pairs.empty() ? 0u : 1u;
  p.kappa_sign = static_cast<int>(parts.hand);
  p.moduli = static_cast<kernels::uint>(crt.set.count);
  p.groups = static_cast<kernels::uint>(groups_for(view.vectors, 4) * (out.inner_padded / 64));
  const Slice inner = p.use_inner != 0u ? parts.inner_pairs.slice() : crt.constants->first();
  crt.context.launch(residue_kernel(crt), p.groups, view.vectors * out.inner_padded * crt.set.count * crt.planes * 8,
                     {whole(view.parts[0]), whole(view.parts[view.part_count == 2 ? 1 : 0]), inner, records.slice, crt.constants->first(),
                      out.planes.slice(), out.shifts.slice(), params(p)});
}

const VectorView& operand_of(const Crt& crt, HandSide hand) {
  return hand == HandSide::Left ? crt.product.left : crt.product.right;
}

// Residues of a block of vectors and terms, made. Split: the block's real parts first, then its imaginary parts.
Residues make_residues(Crt& crt, HandSide hand, Block vectors, Block terms) {
  const VectorView& operand = operand_of(crt, hand);
  const ResidentBlock resident = make_resident(crt.context, operand, vectors, terms);
  Lease later_pairs;  // of a block that does not begin with the first term
  if (terms.first > 0 && !crt.plan.inner_pairs.empty()) {
    const std::span<const std::int32_t> pairs(crt.plan.inner_pairs);
    later_pairs = upload(crt.context, pairs.subspan(static_cast<std::size_t>(2 * terms.first), static_cast<std::size_t>(2 * terms.count)));
  }
  Residues out;
  const device::Traits& traits = traits_of_multiplier(crt);
  const Index sets = crt.plan.split ? 2 : 1;
  out.vectors = rounded_up(vectors.count, traits.vector_unit) * sets;
  out.inner_padded = rounded_up(terms.count, 64);
  out.shifts = crt.context.lease(static_cast<std::size_t>(vectors.count * sets) * sizeof(std::int32_t));
  const Index plane_bytes = out.vectors * out.inner_padded * crt.residue_bytes + traits.plane_padding_bytes;
  out.planes = crt.context.lease(static_cast<std::size_t>(crt.set.count * crt.planes * plane_bytes));
  const ResidueParts parts{hand, {}, later_pairs ? later_pairs : crt.inner, vectors};
  for (int set = 0; set < sets; ++set) {
    launch_residues(crt, parts, set, crt.plan.split ? part_of(resident.view, set) : resident.view, out);
  }
  out.planes = moved(crt.context, std::move(out.planes), crt.multiplier);
  return out;
}

using SharedResidues = std::shared_ptr<const Residues>;

// Residues, kept or made. Those of a whole operand are worth keeping, those that inner exponents of this product shape are not.
SharedResidues prepare(Crt& crt, HandSide hand, Block vectors, Block terms) {
  const VectorView& operand = operand_of(crt, hand);
  const auto make = [&] {
    return timed(crt.context, Stage::Residues, [&] { return std::make_shared<const Residues>(make_residues(crt, hand, vectors, terms)); });
  };
  if (vectors.count < operand.vectors || terms.count < operand.inner || !crt.plan.inner_pairs.empty()) return make();
  if (const SharedResidues& made = hand == HandSide::Left ? crt.plan.left_made : crt.plan.right_made) return made;
  PreparedKey key{.preparation = Preparation::Residues,
                  .operand = operand,
                  .form = crt.plan.split ? OperandForm::Split : OperandForm::Whole,
                  .hand = hand,
                  .family = crt.family,
                  .budget = crt.plan.budget()};
  PreparedOperands& prepared = crt.context.prepared();
  if (auto kept = prepared.find(key)) return std::static_pointer_cast<const Residues>(kept);
  auto made = make();
  prepared.keep(std::move(key), made, made->planes.memory().bytes() + made->shifts.memory().bytes());
  return made;
}

struct Results {
  Lease planes;
  Index rows, columns;  // of a plane
  Index row_words;
};

// Rows and columns of the planes: of the split form, both parts, each padded as the residues are.
Results make_results(Crt& crt, Index rows, Index columns) {
  const Index unit = traits_of_multiplier(crt).vector_unit, per_word = 4 / crt.residue_bytes;
  Results out;
  out.rows = crt.plan.split ? 2 * rounded_up(rows, unit) : rows;
  out.columns = crt.plan.split ? 2 * rounded_up(columns, unit) : columns;
  out.row_words = (out.rows + per_word - 1) / per_word;
  out.planes = crt.multiplier.lease(static_cast<std::size_t>(crt.set.count * crt.result_planes * out.columns * out.row_words * 4));
  return out;
}

enum class Accumulate { No, Yes };

kernels::modular_params modular_params_of(const Crt& crt, const Residues& left, const Residues& right, const Results& out) {
  kernels::modular_params p{};
  p.tile_rows = static_cast<kernels::uint>(groups_for(out.rows, 64));
  p.tile_columns = static_cast<kernels::uint>(groups_for(out.columns, 64));
  p.groups = p.tile_rows * p.tile_columns * static_cast<kernels::uint>(crt.set.count);
  p.left_vectors = static_cast<kernels::uint>(out.rows);
  p.right_vectors = static_cast<kernels::uint>(out.columns);
  p.inner_padded = static_cast<kernels::uint>(left.inner_padded);
  p.row_words = static_cast<kernels::uint>(out.row_words);
  p.left_all = static_cast<kernels::uint>(left.vectors);
  p.right_all = static_cast<kernels::uint>(right.vectors);
  p.moduli = static_cast<kernels::uint>(crt.set.count);
  return p;
}

Index work_of(const Crt& crt, const Results& out, Index inner_padded) {
  return out.rows * out.columns * inner_padded * crt.set.count * crt.planes / 4;
}

void multiply_residues(Crt& crt, const Residues& left, const Residues& right, const Results& out, Accumulate accumulate) {
  kernels::modular_params p = modular_params_of(crt, left, right, out);
  p.accumulate = accumulate == Accumulate::Yes ? 1u : 0u;
  crt.multiplier.launch(modular_kernel(crt), p.groups, work_of(crt, out, left.inner_padded),
                        {left.planes.slice(), right.planes.slice(), crt.constants_of_multiplier->first(), out.planes.slice(), params(p)});
}

// `c` is the block's.
kernels::reconstruct_params reconstruct_params_of(const Crt& crt, const Results& results, const ResultView& c, Block rows, Block columns) {
  kernels::reconstruct_params p{};
  p.c = kernel_view(c, crt.product.triangle);
  p.c.row0 = static_cast<kernels::uint>(rows.first);
  p.c.column0 = static_cast<kernels::uint>(columns.first);
  p.s = kernel_scalars(crt.product);
  p.form = crt.plan.split ? 2u : is_3m(crt) ? 3u : 1u;
  p.row_words = static_cast<kernels::uint>(results.row_words);
  p.half_rows = static_cast<kernels::uint>(results.rows / 2);
  p.half_columns = static_cast<kernels::uint>(results.columns / 2);
  p.left_half = static_cast<kernels::uint>(rows.count);
  p.right_half = static_cast<kernels::uint>(columns.count);
  p.moduli = static_cast<kernels::uint>(crt.set.count);
  p.groups = static_cast<kernels::uint>(groups_for(rows.count, 64) * columns.count);
  return p;
}

void reconstruct(Crt& crt, const Residues& left, const Residues& right, const Results& results, const ResultView& c, Block rows,
                 Block columns) {
  const kernels::reconstruct_params p = reconstruct_params_of(crt, results, c, rows, columns);
  crt.context.launch(reconstruct_kernel(crt), p.groups, rows.count * columns.count * crt.set.count * crt.set.limbs * c.part_count * 4,
                     {results.planes.slice(), crt.constants->first(), crt.constants->second(), left.shifts.slice(), right.shifts.slice(),
                      whole(c.parts[0]), whole(c.parts[c.part_count == 2 ? 1 : 0]), params(p)});
}

// Product and reconstruction in one launch: the residues of results never leave the device's caches.
void multiply_and_reconstruct(Crt& crt, const Residues& left, const Residues& right, const ResultView& c, Block rows, Block columns) {
  const Results none{{}, rows.count, columns.count, 0};
  kernels::crt_product_params p{};
  p.g = modular_params_of(crt, left, right, none);
  p.r = reconstruct_params_of(crt, none, c, rows, columns);
  p.scratch_bytes = crt.scratch.memory().bytes();
  crt.context.launch(is_3m(crt) ? Text::CrtProductI8Complex : Text::CrtProductI8, p.g.groups, work_of(crt, none, left.inner_padded),
                     {left.planes.slice(), right.planes.slice(), crt.constants->first(), crt.constants->second(), left.shifts.slice(),
                      right.shifts.slice(), crt.scratch.slice(), whole(c.parts[0]), whole(c.parts[c.part_count == 2 ? 1 : 0]), params(p)});
}

std::shared_ptr<const Pair> constants_of(Context& context, const ModuliSet& set) {
  PreparedKey key{
      .preparation = Preparation::Constants, .operand = {}, .form = OperandForm::Whole, .family = set.family, .count = set.count};
  if (auto kept = context.prepared().find(key)) return std::static_pointer_cast<const Pair>(kept);
  auto made = std::make_shared<const Pair>(
      upload(context, std::span<const kernels::modulus>(set.constants), std::span<const kernels::reconstruction>(&set.product, 1)));
  context.prepared().keep(std::move(key), made, made->lease.memory().bytes());
  return made;
}

Crt begin(Context& context, const Product& product, const CrtPlan& plan, const Choices& choices) {
  const ModuliFamily family = *choices.family;
  Context& multiplier = choices.multiplier != nullptr ? *choices.multiplier : context;
  const ModuliSet& set = numerics::moduli(family, plan.budget());
  const bool joint = product.left.part_count == 2 && !plan.split;
  Crt crt{context, multiplier, product, plan, family, set, numerics::residue_bytes(family), joint ? 3 : 1, joint ? 2 : 1, {}, {}, {}, {}};
  crt.constants = constants_of(context, set);
  crt.constants_of_multiplier = &multiplier == &context ? crt.constants : constants_of(multiplier, set);
  if (!plan.inner_pairs.empty()) crt.inner = upload(context, std::span<const std::int32_t>(plan.inner_pairs));
  return crt;
}

Footprint footprint_of(const Crt& crt) {
  const double operand = static_cast<double>(crt.planes * crt.set.count * crt.residue_bytes) * (crt.plan.split ? 2 : 1);
  const double result = static_cast<double>(crt.result_planes * crt.set.count * crt.residue_bytes) * (crt.plan.split ? 4 : 1);
  return with_copies({operand, operand, result}, crt.product);
}

// The blocks of a product. Fused: with results reconstructed in the launch that makes them, which takes all terms at once.
struct Cutting {
  Cut cut;
  std::uint64_t scratch_bytes;  // 0: not fused
};

// Scratch of a fused product: the most that it can use, and what it must have.
struct ScratchRange {
  std::uint64_t most, least;
};
ScratchRange scratch_range(const Crt& crt, const Blocks& all) {
  const device::Traits& traits = traits_of_multiplier(crt);
  if (crt.residue_bytes != 1 || crt.plan.split || &crt.multiplier != &crt.context) return {0, 0};
  std::uint64_t most = traits.product_scratch_bytes, least = 0;
  if (const Index tile = traits.product_tile; tile > 0) {
    const Index planes = crt.set.count * crt.planes;
    least = static_cast<std::uint64_t>(planes * tile * tile);
    most = std::min(most, static_cast<std::uint64_t>(planes * rounded_up(all.rows, tile) * rounded_up(all.columns, tile)) + least);
  }
  return {most, std::max(least, most / 32)};  // below a 32nd the blocks would be too small to be worth it
}

Cutting cut_crt(const Crt& crt, const Blocks& whole, std::uint64_t whole_cap_bytes) {
  // Residue planes hold whole units of vectors, and lie apart.
  const device::Traits& traits = traits_of_multiplier(crt);
  const Blocks all{rounded_up(whole.rows, traits.vector_unit), rounded_up(whole.columns, traits.vector_unit), whole.inner};
  const auto between_planes = static_cast<std::uint64_t>(2 * crt.set.count * crt.planes * traits.plane_padding_bytes);
  const std::uint64_t cap_bytes = whole_cap_bytes - std::min(whole_cap_bytes, between_planes);
  Footprint footprint = footprint_of(crt);
  const ScratchRange range = scratch_range(crt, all);
  const std::uint64_t scratch = std::min(range.most, cap_bytes / 4);
  if (scratch >= range.least && scratch > 0) {
    Footprint of_fused = footprint;
    of_fused.result_per_entry = with_copies({}, crt.product).result_per_entry;
    const Cut fused = with_terms_of(traits, cut_product(of_fused, all, cap_bytes - scratch));
    if (fused.fits && fused.blocks.inner == all.inner) return {fused, scratch};
  }
  return {with_terms_of(traits, cut_product(footprint, all, cap_bytes)), 0};
}

Blocks whole_of(const Product& product) {
  return {product.left.vectors, product.right.vectors, product.left.inner};
}

// Of a result that goes to the host: few enough for most of it to go while the rest is computed, enough to keep the device busy.
Index overlapped_columns(const Product& product) {
  constexpr Index blocks = 8, unit = 512;
  return product.c.host != nullptr ? rounded_up(groups_for(product.c.columns, blocks), unit) : product.c.columns;
}

}  // namespace

void make_residues_ahead(Context& context, const Product& product, CrtPlan& plan, const Choices& choices) {
  const bool resident = product.left.host == nullptr && product.right.host == nullptr;
  if (!resident || (choices.multiplier != nullptr && choices.multiplier != &context)) return;
  Crt crt = begin(context, product, plan, choices);
  const Blocks all = whole_of(product);
  const Cut cut = cut_crt(crt, all, static_cast<std::uint64_t>(in_buffers_of(context, choices).cap_bytes)).cut;
  if (!cut.fits || cut.blocks.inner < all.inner) return;
  if (cut.blocks.rows >= all.rows) plan.left_made = prepare(crt, HandSide::Left, {0, all.rows}, {0, all.inner});
  if (std::min(cut.blocks.columns, overlapped_columns(product)) >= all.columns) {
    plan.right_made = prepare(crt, HandSide::Right, {0, all.columns}, {0, all.inner});
  }
}

void multiply_crt(Context& context, const Product& product, const CrtPlan& plan, const Choices& choices) {
  Crt crt = begin(context, product, plan, choices);
  const Blocks all = whole_of(product);
  const auto [cut, scratch_bytes] = cut_crt(crt, all, static_cast<std::uint64_t>(choices.cap_bytes));
  if (!cut.fits && !choices.may_exceed_cap) throw OverCap();
  const std::vector<Block> row_blocks = blocks_of(all.rows, cut.blocks.rows), term_blocks = blocks_of(all.inner, cut.blocks.inner);
  const std::vector<Block> column_blocks = blocks_of(all.columns, std::min(cut.blocks.columns, overlapped_columns(product)));
  SafeResult result(context, product, writing_of(choices, row_blocks.size() * column_blocks.size()));
  for (const Block& rows : row_blocks) {
    SharedResidues left;
    if (term_blocks.size() == 1) left = prepare(crt, HandSide::Left, rows, term_blocks[0]);
    for (const Block& columns : column_blocks) {
      if (scratch_bytes > 0) {
        if (!crt.scratch) crt.scratch = context.lease(scratch_bytes);
        const SharedResidues right = prepare(crt, HandSide::Right, columns, term_blocks[0]);
        const ResultView block = result.block(rows, columns);
        timed(context, Stage::Multiply, [&] { multiply_and_reconstruct(crt, *left, *right, block, rows, columns); });
        continue;
      }
      Results results = make_results(crt, rows.count, columns.count);
      SharedResidues right;
      for (const Block& terms : term_blocks) {
        if (term_blocks.size() > 1) left = prepare(crt, HandSide::Left, rows, terms);
        right = prepare(crt, HandSide::Right, columns, terms);
        const Accumulate accumulate = terms.first > 0 ? Accumulate::Yes : Accumulate::No;
        timed(crt.multiplier, Stage::Multiply, [&] { multiply_residues(crt, *left, *right, results, accumulate); });
      }
      results.planes = moved(crt.multiplier, std::move(results.planes), context);
      const ResultView block = result.block(rows, columns);
      timed(context, Stage::Reconstruct, [&] { reconstruct(crt, *left, *right, results, block, rows, columns); });
    }
  }
  result.commit();
}

}  // namespace ab::ops
