// SPDX-License-Identifier: MIT
// A product of handles: what every way of asking for one checks and does.
#pragma once
#include <optional>
#include <vector>

#include "capi/arguments.hpp"
#include "core/product.hpp"
#include "report/call.hpp"
#include "report/recording.hpp"

namespace ab::capi {

struct Factor {  // one factor or the result: the real part, and for complex products the imaginary one
  std::vector<Argument> parts;
  Op op = Op::None;

  Index rows() const { return op == Op::None ? parts[0].matrix->rows : parts[0].matrix->cols; }  // of op(X)
  Index cols() const { return op == Op::None ? parts[0].matrix->cols : parts[0].matrix->rows; }
};

enum class Routine { Gemm, Syrk, Herk };

struct Request {  // C = alpha op(A) op(B) + beta C; Syrk and Herk: B is A, beta is 0
  Factor a, b, c;
  double alpha = 1.0;
  double beta = 0.0;
  Routine routine = Routine::Gemm;
  report::Api api = report::Api::Handle;
  Precision precision = thread_class();  // taken when the call is made

  bool is_complex() const { return c.parts.size() == 2; }
  bool reads_factors() const { return alpha != 0.0; }
  bool reads_c() const { return beta != 0.0; }
  static Precision thread_class();
};

Request real_product(ABMatrix A, ABMatrix B, ABMatrix C);
Request complex_product(ABMatrix Ar, ABMatrix Ai, ABMatrix Br, ABMatrix Bi, ABMatrix Cr, ABMatrix Ci);
std::vector<Argument> handles_of(const Request& request);
std::vector<ABMatrix_s*> results_of(const Request& request);
std::vector<Hold> holds_on(const Request& request);
/// The device of a request that was checked.
int device_of(const Request& request);

bool has_contents(const ABMatrix_s& matrix);
/// Also what earlier work of a future or batch will have written; the product checks again when its turn has come.
bool is_defined_or_promised(const ABMatrix_s& matrix);

struct Surroundings {  // what counts besides the operands
  IsDefined is_defined = has_contents;
  const ops::Context* batch = nullptr;  // of the batch that the product is added to
};
/// All rows of the error table before memory and execution.
void check(const Request& request, const Surroundings& around = {});
/// NoDevice: a batch from before a shutdown, or on a device that is gone.
void require_alive_batch(const ops::Context& batch);
/// What check() asks first: InvalidArgument for NULL.
void require_handles(const Request& request);

/// Checks, computes, counts and records. C has its contents then.
ProductReport execute(const Request& request);
/// The same as a synchronous call of this thread.
void run(const Request& request);

/// The status of what a device declined. Throws.
[[noreturn]] void fail_declined(const char* what, Reason reason);

/// Recording of a call for report and trace, if the environment asks for it.
class Recorded {
 public:
  Recorded();
  void end(const report::Call& call);
  bool wanted() const { return recording_.has_value(); }

 private:
  std::optional<report::Recording> recording_;
};

}  // namespace ab::capi
