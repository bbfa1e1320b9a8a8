// SPDX-License-Identifier: MIT
// Matrices kept for reuse: pools hand out what fits, sessions know theirs by name.
#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "capi/guarded.hpp"
#include "capi/product.hpp"

using ab::Index;
using ab::Status;
using ab::capi::Argument;
using ab::capi::fail;
using ab::capi::guarded;
using ab::capi::guarded_life;
using ab::capi::guarded_operation;

namespace ab::capi {
namespace {

// What pools and sessions own: released with them, or later where unfinished work still needs it.
class Contained {
 public:
  explicit Contained(ABMatrix_s* matrix) : matrix_(matrix) { matrix->is_contained = true; }
  Contained(Contained&& other) noexcept : matrix_(std::exchange(other.matrix_, nullptr)) {}
  Contained& operator=(Contained&&) = delete;
  ~Contained() {
    if (matrix_) let_go(*matrix_);
  }
  ABMatrix_s& operator*() const { return *matrix_; }
  ABMatrix_s* get() const { return matrix_; }

 private:
  ABMatrix_s* matrix_;
};

}  // namespace
}  // namespace ab::capi

struct ABMemoryPool_s {
  struct Slot {
    ab::capi::Contained matrix;
    Index capacity;  // elements
    bool is_free;
  };
  std::shared_ptr<ab::ops::Context> context;
  std::vector<Slot> slots;
};

struct ABSession_s {
  struct Named {
    std::string name;
    ab::capi::Contained matrix;
  };
  std::shared_ptr<ab::ops::Context> context;
  std::vector<Named> matrices;
};

namespace {

void require_alive(const ab::ops::Context& context, const char* noun) {
  if (!ab::ops::alive(context))
    fail(Status::NoDevice, std::string(noun) + " is from before ab_shutdown, or on a device that cannot be used");
}

// ---- pools

ABMemoryPool_s::Slot* find_free(ABMemoryPool_s& pool, int rows, int cols) {
  ABMemoryPool_s::Slot* best = nullptr;
  const Index needed = Index{rows} * cols;
  for (ABMemoryPool_s::Slot& slot : pool.slots) {
    if (!slot.is_free) continue;
    if ((*slot.matrix).rows == rows && (*slot.matrix).cols == cols) return &slot;
    if (slot.capacity >= needed && (!best || slot.capacity < best->capacity)) best = &slot;
  }
  return best;
}

ABMatrix take(ABMemoryPool_s::Slot& slot, int rows, int cols) {
  ABMatrix_s& matrix = *slot.matrix;
  slot.is_free = false;
  matrix.rows = rows;
  matrix.cols = cols;
  matrix.has_contents = false;
  matrix.renew_contents();
  return &matrix;
}

ABMatrix get(ABMemoryPool_s& pool, int rows, int cols) {
  require_alive(*pool.context, "the pool");
  if (ABMemoryPool_s::Slot* slot = find_free(pool, rows, cols)) return take(*slot, rows, cols);
  if (pool.slots.size() == AB_POOL_CAPACITY) {
    fail(Status::InvalidArgument,
         "the pool is full: it has " + std::to_string(AB_POOL_CAPACITY) + " matrices, of which none is free and fits");
  }
  pool.slots.reserve(pool.slots.size() + 1);
  pool.slots.push_back({ab::capi::Contained(ab::capi::create_matrix(pool.context, rows, cols)), Index{rows} * cols, false});
  return pool.slots.back().matrix.get();
}

// ---- sessions

ABSession_s::Named* find(ABSession session, const char* name) {
  const auto found =
      std::find_if(session->matrices.begin(), session->matrices.end(), [&](const auto& named) { return named.name == name; });
  return found == session->matrices.end() ? nullptr : &*found;
}

void require_session(ABSession session) {
  if (!session) fail(Status::InvalidArgument, "the session is NULL");
}

void require_name(const char* argument, const char* name) {
  if (!name) fail(Status::InvalidArgument, std::string(argument) + " is NULL, expected the name of a matrix");
}

ABMatrix matrix_by(ABSession session, const char* argument, const char* name) {
  ABSession_s::Named* found = find(session, name);
  if (!found) fail(Status::InvalidArgument, std::string(argument) + " is \"" + name + "\": the session has no matrix of that name");
  return found->matrix.get();
}

void require_new_name(ABSession session, const char* name) {
  const std::size_t length = std::strlen(name);
  if (length == 0) fail(Status::InvalidArgument, "name is empty");
  if (length > AB_SESSION_NAME_MAX) {
    fail(Status::InvalidArgument, "name has " + std::to_string(length) + " bytes, at most " + std::to_string(AB_SESSION_NAME_MAX));
  }
  if (find(session, name)) fail(Status::InvalidArgument, std::string("name is \"") + name + "\": the session has a matrix of that name");
  if (session->matrices.size() == AB_SESSION_CAPACITY) {
    fail(Status::InvalidArgument, "the session is full: it has " + std::to_string(AB_SESSION_CAPACITY) + " matrices");
  }
}

void add(ABSession session, const char* name, int rows, int cols) {
  require_session(session);
  require_name("name", name);
  require_new_name(session, name);
  ab::capi::require_shape(rows, cols);
  require_alive(*session->context, "the session");
  session->matrices.reserve(session->matrices.size() + 1);
  std::string copy = name;
  session->matrices.push_back({std::move(copy), ab::capi::Contained(ab::capi::create_matrix(session->context, rows, cols))});
}

// The handles of several names: all NULLs are found before any name that is unknown.
template <std::size_t count>
std::array<ABMatrix, count> matrices_by(ABSession session, const std::array<std::pair<const char*, const char*>, count>& names) {
  require_session(session);
  for (const auto& [argument, name] : names) require_name(argument, name);
  std::array<ABMatrix, count> out{};
  for (std::size_t i = 0; i < count; ++i) out[i] = matrix_by(session, names[i].first, names[i].second);
  return out;
}

}  // namespace

extern "C" {

ABMemoryPool ab_pool_create(size_t /*size_hint*/) {
  ABMemoryPool pool = nullptr;
  guarded("ab_pool_create", [&] { pool = new ABMemoryPool_s{ab::capi::context_for_creation(), {}}; });
  return pool;
}

void ab_pool_destroy(ABMemoryPool pool) {
  guarded_life("ab_pool_destroy", [&] { delete pool; });
}

ABMatrix ab_pool_get_matrix(ABMemoryPool pool, int rows, int cols) {
  if (!pool) return ab_matrix_create(rows, cols);
  ABMatrix matrix = nullptr;
  guarded_operation("ab_pool_get_matrix", [&] {
    ab::capi::require_shape(rows, cols);
    matrix = get(*pool, rows, cols);
  });
  return matrix;
}

void ab_pool_reset(ABMemoryPool pool) {
  if (!pool) return;
  for (ABMemoryPool_s::Slot& slot : pool->slots) slot.is_free = true;
}

ABSession ab_session_create(void) {
  ABSession session = nullptr;
  guarded("ab_session_create", [&] { session = new ABSession_s{ab::capi::context_for_creation(), {}}; });
  return session;
}

void ab_session_destroy(ABSession session) {
  guarded_life("ab_session_destroy", [&] { delete session; });
}

ABStatus ab_session_add(ABSession session, const char* name, int rows, int cols) {
  return guarded_life("ab_session_add", [&] { add(session, name, rows, cols); });
}

ABMatrix ab_session_get(ABSession session, const char* name) {
  ABMatrix matrix = nullptr;
  guarded("ab_session_get", [&] { matrix = matrices_by<1>(session, {{{"name", name}}})[0]; });
  return matrix;
}

ABStatus ab_session_upload(ABSession session, const char* name, const double* data) {
  return guarded_operation("ab_session_upload", [&] {
    require_session(session);
    require_name("name", name);
    ab::capi::require_data(data);
    ab::capi::upload({name, matrix_by(session, "name", name)}, data);
  });
}

ABStatus ab_session_download(ABSession session, const char* name, double* data) {
  return guarded_operation("ab_session_download", [&] {
    require_session(session);
    require_name("name", name);
    ab::capi::require_data(data);
    ab::capi::download({name, matrix_by(session, "name", name)}, data);
  });
}

ABStatus ab_session_dgemm(ABSession session, const char* A, const char* B, const char* C) {
  return guarded_operation("ab_session_dgemm", [&] {
    const auto m = matrices_by<3>(session, {{{"A", A}, {"B", B}, {"C", C}}});
    run(ab::capi::real_product(m[0], m[1], m[2]));
  });
}

ABStatus ab_session_zgemm(ABSession session, const char* Ar, const char* Ai, const char* Br, const char* Bi, const char* Cr,
                          const char* Ci) {
  return guarded_operation("ab_session_zgemm", [&] {
    const auto m = matrices_by<6>(session, {{{"Ar", Ar}, {"Ai", Ai}, {"Br", Br}, {"Bi", Bi}, {"Cr", Cr}, {"Ci", Ci}}});
    run(ab::capi::complex_product(m[0], m[1], m[2], m[3], m[4], m[5]));
  });
}

}  // extern "C"
