// SPDX-License-Identifier: MIT
// The error table, row by row, for every function that works on handles; and the order in which rows are looked at.
#include "handles.hpp"

namespace ab::test {
namespace {

using Handles = std::vector<ABMatrix>;
using Statuses = std::vector<ABStatus>;
enum class Aliasing { Refused, Fine };
enum class Life { AnyTime, OnlyInitialized };  // of what the call itself creates

struct Function {
  const char* name;
  std::function<ABStatus(const Handles&)> call;
  int inputs, outputs;  // inputs first; an input that is also the output counts as an output that is read
  Statuses misshapen;   // by operand: what a 2x5 matrix among 3x3 ones gives
  Aliasing aliasing = Aliasing::Refused;
  bool reads_outputs = false;
  Life life = Life::AnyTime;
};

ABStatus waited(ABFuture future) {
  const ABStatus status = ab_future_wait(future);
  ab_future_destroy(future);
  return status;
}

template <class Add>
ABStatus in_batch(const Add& add) {
  ABBatch batch = ab_batch_create();
  const ABStatus status = add(batch);
  ab_batch_destroy(batch);
  return status;
}

constexpr ABStatus mismatch = AB_ERROR_DIMENSION_MISMATCH, invalid = AB_ERROR_INVALID_ARG;

std::vector<Function> products() {
  const Statuses three(3, mismatch), six(6, mismatch);
  return {
      {"ab_dgemm", [](const Handles& h) { return ab_dgemm(h[0], h[1], h[2]); }, 2, 1, three},
      {"ab_dgemm_scaled", [](const Handles& h) { return ab_dgemm_scaled(2, h[0], h[1], 0, h[2]); }, 2, 1, three},
      {"ab_dgemm_scaled, beta", [](const Handles& h) { return ab_dgemm_scaled(2, h[0], h[1], 3, h[2]); }, 2, 1, three, Aliasing::Refused,
       true},
      {"ab_zgemm", [](const Handles& h) { return ab_zgemm(h[0], h[1], h[2], h[3], h[4], h[5]); }, 4, 2, six},
      {"ab_zgemm_ex", [](const Handles& h) { return ab_zgemm_ex(AB_TRANS, AB_CONJ_TRANS, h[0], h[1], h[2], h[3], h[4], h[5]); }, 4, 2, six},
      {"ab_dsyrk", [](const Handles& h) { return ab_dsyrk(h[0], h[1]); }, 1, 1, {mismatch, mismatch}},
      {"ab_zherk", [](const Handles& h) { return ab_zherk(h[0], h[1], h[2], h[3]); }, 2, 2, Statuses(4, mismatch)},
      {"ab_dgemm_async", [](const Handles& h) { return waited(ab_dgemm_async(h[0], h[1], h[2])); }, 2, 1, three},
      {"ab_zgemm_async", [](const Handles& h) { return waited(ab_zgemm_async(h[0], h[1], h[2], h[3], h[4], h[5])); }, 4, 2, six},
      {"ab_batch_dgemm", [](const Handles& h) { return in_batch([&](ABBatch b) { return ab_batch_dgemm(b, h[0], h[1], h[2]); }); }, 2, 1,
       three, Aliasing::Refused, false, Life::OnlyInitialized},
      {"ab_batch_dgemm_scaled",
       [](const Handles& h) { return in_batch([&](ABBatch b) { return ab_batch_dgemm_scaled(b, 2, h[0], h[1], 3, h[2]); }); }, 2, 1, three,
       Aliasing::Refused, true, Life::OnlyInitialized},
      {"ab_batch_zgemm",
       [](const Handles& h) { return in_batch([&](ABBatch b) { return ab_batch_zgemm(b, h[0], h[1], h[2], h[3], h[4], h[5]); }); }, 4, 2,
       six, Aliasing::Refused, false, Life::OnlyInitialized},
      {"ab_dgemm_batched",
       [](const Handles& h) {
         Handles each = h;
         return ab_dgemm_batched(1, &each[0], &each[1], &each[2]);
       },
       2, 1, three},
      {"ab_zgemm_batched",
       [](const Handles& h) {
         Handles each = h;
         return ab_zgemm_batched(1, &each[0], &each[1], &each[2], &each[3], &each[4], &each[5]);
       },
       4, 2, six},
  };
}

std::vector<Function> others() {
  const Statuses three(3, mismatch), two(2, mismatch);
  static std::vector<double> data(16, 1.0);
  return {
      {"ab_dtrsm, left", [](const Handles& h) { return ab_dtrsm(AB_LEFT, AB_UPPER, AB_NO_TRANS, AB_NON_UNIT, 2, h[0], h[1]); }, 1, 1, two,
       Aliasing::Fine, true},
      {"ab_dtrsm, right", [](const Handles& h) { return ab_dtrsm(AB_RIGHT, AB_LOWER, AB_TRANS, AB_UNIT_DIAG, 2, h[0], h[1]); }, 1, 1, two,
       Aliasing::Fine, true},
      {"ab_dgesv_mpir", [](const Handles& h) { return ab_dgesv_mpir(h[0], h[1]); }, 1, 1, {invalid, mismatch}, Aliasing::Fine, true},
      {"ab_matrix_copy", [](const Handles& h) { return ab_matrix_copy(h[0], h[1]); }, 1, 1, two, Aliasing::Fine},
      {"ab_matrix_add", [](const Handles& h) { return ab_matrix_add(h[0], h[1], h[2]); }, 2, 1, three, Aliasing::Fine},
      {"ab_matrix_sub", [](const Handles& h) { return ab_matrix_sub(h[0], h[1], h[2]); }, 2, 1, three, Aliasing::Fine},
      {"ab_matrix_scale", [](const Handles& h) { return ab_matrix_scale(2, h[0]); }, 0, 1, {AB_OK}, Aliasing::Fine, true},
      {"ab_matrix_zero", [](const Handles& h) { return ab_matrix_zero(h[0]); }, 0, 1, {AB_OK}, Aliasing::Fine},
      {"ab_matrix_upload", [](const Handles& h) { return ab_matrix_upload(h[0], data.data(), true); }, 0, 1, {AB_OK}, Aliasing::Fine},
      {"ab_matrix_download", [](const Handles& h) { return ab_matrix_download(h[0], data.data(), true); }, 1, 0, {AB_OK}, Aliasing::Fine},
  };
}

std::vector<Function> all_functions() {
  std::vector<Function> all = products();
  for (Function& function : others()) all.push_back(std::move(function));
  return all;
}

class ErrorTable : public Initialized {
 protected:
  static constexpr int most_operands = 6;
  // Well-conditioned 3x3 operands, all different.
  void SetUp() override {
    Initialized::SetUp();
    for (int i = 0; i < most_operands; ++i) {
      std::vector<double> data = counted(3, 3, 1.0 + i);
      for (std::size_t d = 0; d < 9; d += 4) data[d] += 40;
      full_.push_back(std::make_unique<Matrix>(3, 3, data));
      empty_.push_back(std::make_unique<Matrix>(3, 3));
    }
  }
  Handles operands(const Function& function) const {
    Handles out;
    for (int i = 0; i < function.inputs + function.outputs; ++i) out.push_back(*full_[static_cast<std::size_t>(i)]);
    return out;
  }
  // The call gives this status, says so, and changes nothing.
  void expect(const Function& function, const Handles& handles, ABStatus status, const char* row) const {
    std::vector<std::optional<Words>> before, after;
    for (const auto& matrix : full_) before.push_back(matrix->words());
    const ABStats stats = ab_get_stats();
    EXPECT_EQ(function.call(handles), status) << function.name << ": " << row << ": " << ab_last_error();
    EXPECT_TRUE(equal(ab_get_stats(), stats)) << function.name << ": " << row;
    for (const auto& matrix : full_) after.push_back(matrix->words());
    EXPECT_EQ(before, after) << function.name << ": " << row;
    const std::string name = function.name;
    EXPECT_EQ(std::string(ab_last_error()).rfind(name.substr(0, name.find(',')) + ": ", 0), 0u) << ab_last_error();
  }
  bool is_output(const Function& function, std::size_t i) const { return static_cast<int>(i) >= function.inputs; }

  std::vector<std::unique_ptr<Matrix>> full_, empty_;
};

TEST_F(ErrorTable, ValidCallsAreValid) {
  for (const Function& function : all_functions()) EXPECT_EQ(function.call(operands(function)), AB_OK) << function.name << ab_last_error();
}

TEST_F(ErrorTable, NullIsInvalidBeforeAnythingElse) {
  const Matrix misshapen(2, 5);
  for (const Function& function : all_functions()) {
    for (std::size_t i = 0; i < operands(function).size(); ++i) {
      Handles handles = operands(function);
      handles[i] = nullptr;
      expect(function, handles, AB_ERROR_INVALID_ARG, "NULL");
      handles[(i + 1) % handles.size()] = handles.size() > 1 ? static_cast<ABMatrix>(misshapen) : nullptr;
      expect(function, handles, AB_ERROR_INVALID_ARG, "NULL and a wrong shape");
      EXPECT_NE(std::string(ab_last_error()).find("is NULL"), std::string::npos) << ab_last_error();
    }
  }
}

TEST_F(ErrorTable, ShapesThatDoNotFit) {
  const Matrix misshapen(2, 5);  // without contents: dimensions come first
  for (const Function& function : all_functions()) {
    for (std::size_t i = 0; i < operands(function).size(); ++i) {
      if (function.misshapen[i] == AB_OK) continue;
      Handles handles = operands(function);
      handles[i] = misshapen;
      expect(function, handles, function.misshapen[i], "shape");
    }
  }
}

TEST_F(ErrorTable, AnOutputThatIsAnInput) {
  for (const Function& function : all_functions()) {
    if (function.aliasing == Aliasing::Fine) continue;
    for (std::size_t input = 0; static_cast<int>(input) < function.inputs; ++input) {
      for (std::size_t output = static_cast<std::size_t>(function.inputs); output < operands(function).size(); ++output) {
        Handles handles = operands(function);
        handles[output] = handles[input];
        expect(function, handles, AB_ERROR_INVALID_ARG, "aliasing");
        handles[input] = handles[output] = *empty_[0];
        expect(function, handles, AB_ERROR_INVALID_ARG, "aliasing comes before contents");
      }
    }
    if (function.outputs < 2) continue;
    Handles handles = operands(function);
    handles.back() = handles[handles.size() - 2];
    expect(function, handles, AB_ERROR_INVALID_ARG, "one matrix as both outputs");
  }
}

TEST_F(ErrorTable, OperandsWithoutContents) {
  for (const Function& function : all_functions()) {
    for (std::size_t i = 0; i < operands(function).size(); ++i) {
      if (is_output(function, i) && !function.reads_outputs) continue;
      Handles handles = operands(function);
      handles[i] = *empty_[i];
      expect(function, handles, AB_ERROR_NOT_UPLOADED, "contents");
      EXPECT_FALSE(empty_[i]->contents()) << function.name;
    }
  }
}

TEST_F(ErrorTable, OutputsWithoutContentsGetThem) {
  for (const Function& function : all_functions()) {
    if (function.reads_outputs || function.outputs == 0 || function.life == Life::OnlyInitialized) continue;
    Handles handles = operands(function);
    const Matrix first(3, 3), second(3, 3);
    handles[static_cast<std::size_t>(function.inputs)] = first;
    if (function.outputs == 2) handles.back() = second;
    EXPECT_EQ(function.call(handles), AB_OK) << function.name << ": " << ab_last_error();
    EXPECT_TRUE(first.contents()) << function.name;
  }
}

TEST_F(ErrorTable, HandlesFromBeforeAShutdownAndItsPlaceInTheOrder) {
  const Matrix misshapen(2, 5);
  ab_shutdown();
  for (int round = 0; round < 2; ++round) {
    for (const Function& function : all_functions()) {
      if (function.life == Life::OnlyInitialized && round == 0) continue;
      const Handles handles = operands(function);
      EXPECT_EQ(function.call(handles), AB_ERROR_NO_DEVICE) << function.name << ": " << ab_last_error();
      for (std::size_t i = 0; i < handles.size(); ++i) {
        if (function.misshapen[i] == AB_OK) continue;
        Handles wrong = handles;
        wrong[i] = misshapen;
        EXPECT_EQ(function.call(wrong), function.misshapen[i]) << function.name;  // dimensions come first
      }
      if (function.aliasing == Aliasing::Refused) {
        Handles wrong = handles;
        wrong.back() = wrong.front();
        EXPECT_EQ(function.call(wrong), AB_ERROR_NO_DEVICE) << function.name;  // aliasing comes later
      }
    }
    ASSERT_EQ(ab_init(), AB_OK);
  }
}

TEST_F(ErrorTable, EnumsOutOfRangeComeAfterNullAndBeforeShapes) {
  const Matrix a(3, 3, counted(3, 3)), b(3, 2, counted(3, 2)), misshapen(2, 5);
  const int bad[] = {-1, 2, 3, 1000};
  for (const int number : bad) {
    const int trans = number == 2 ? 4 : number;
    const auto solve = [&](int side, int uplo, int transposed, int diag, ABMatrix sides) {  // numbers that no variable of an enum may hold
      return ab_dtrsm(static_cast<ABSide>(side), static_cast<ABUplo>(uplo), static_cast<ABTranspose>(transposed), static_cast<ABDiag>(diag),
                      1, a, sides);
    };
    const std::string text = " is " + std::to_string(number) + ", expected 0 or 1";
    expect_refusals({{[&] { return solve(number, AB_UPPER, AB_NO_TRANS, AB_NON_UNIT, misshapen); }, invalid, "ab_dtrsm: side" + text},
                     {[&] { return solve(AB_LEFT, number, AB_NO_TRANS, AB_NON_UNIT, misshapen); }, invalid, "ab_dtrsm: uplo" + text},
                     {[&] { return solve(AB_LEFT, AB_UPPER, AB_NO_TRANS, number, misshapen); }, invalid, "ab_dtrsm: diag" + text},
                     {[&] { return solve(AB_LEFT, AB_UPPER, trans, AB_NON_UNIT, misshapen); }, invalid,
                      "ab_dtrsm: transA is " + std::to_string(trans) + ", expected 0, 1 or 2"},
                     {[&] { return solve(number, number, trans, number, nullptr); }, invalid, "ab_dtrsm: B is NULL, expected a matrix"}},
                    {&a, &b, &misshapen});
  }
}

TEST(ErrorTableExamples, ThoseOfTheSpecification) {
  ASSERT_EQ(ab_init(), AB_OK);
  const Matrix wide(3, 4), b(3, 1), a(3, 4, counted(3, 4)), wrong(5, 2);
  EXPECT_EQ(ab_dgesv_mpir(wide, b), AB_ERROR_INVALID_ARG);  // never uploaded
  EXPECT_STREQ(ab_last_error(), "ab_dgesv_mpir: A is 3x4: it must be square");
  EXPECT_EQ(ab_dtrsm(AB_LEFT, AB_UPPER, AB_NO_TRANS, AB_NON_UNIT, 1, wide, b), AB_ERROR_DIMENSION_MISMATCH);
  EXPECT_STREQ(ab_last_error(), "ab_dtrsm: A is 3x4: it must be square");
  EXPECT_EQ(ab_dsyrk(a, wide), AB_ERROR_DIMENSION_MISMATCH);
  EXPECT_STREQ(ab_last_error(), "ab_dsyrk: A is 3x4, C is 3x4: C must be 3x3");
  ab_shutdown();
  EXPECT_EQ(ab_dgemm(a, wrong, b), AB_ERROR_DIMENSION_MISMATCH);
}

}  // namespace
}  // namespace ab::test
