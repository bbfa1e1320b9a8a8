// SPDX-License-Identifier: MIT
#include "device/metal/pipeline.hpp"

#include "sim/metal/on_simulator.hpp"

namespace ab::device::metal {
namespace {

class MetalPipelines : public test::OnSimulator {
 protected:
  std::string refusal_of(const KernelText& text) const {
    try {
      const Pipeline pipeline(gpu_, text);
    } catch (const Error& error) {
      EXPECT_EQ(error.status(), Status::ShaderCompile);
      return error.what();
    }
    return "";
  }
  const std::shared_ptr<Gpu> gpu_ = [] {
    const AutoreleasePool pool;
    return std::make_shared<Gpu>(0);
  }();
};

TEST_F(MetalPipelines, EveryTextBecomesOne) {
  int texts = 0;
  for (const KernelText* text = kernel_texts; text->name != nullptr; ++text, ++texts) {
    const Pipeline pipeline(gpu_, *text);
    EXPECT_NE(pipeline.handle(), nullptr);
    EXPECT_EQ(&pipeline.text(), text);
    EXPECT_LE(text->width * text->height, 256u) << text->name;
    EXPECT_EQ(find_text(text->name), text);
  }
  EXPECT_EQ(texts, 18 + 7);
  EXPECT_EQ(find_text("abacus"), nullptr);
}

TEST_F(MetalPipelines, OfBeforeMacos15Too) {
  test::metal::set_limits({.has_math_mode = false});
  EXPECT_EQ(refusal_of(*find_text("gemm_dd")), "");
}

TEST_F(MetalPipelines, SayWhatTheCompilerSaid) {
  KernelText wrong = *find_text("elementwise");
  wrong.text = "kernel void elementwise(abacus x) {}";
  EXPECT_NE(refusal_of(wrong).find("metal: elementwise: "), std::string::npos);
  EXPECT_NE(refusal_of(wrong).find("abacus"), std::string::npos);
  KernelText other = *find_text("elementwise");
  other.function = "abacus";
  EXPECT_EQ(refusal_of(other), "metal: elementwise: no function abacus");
  KernelText large = *find_text("elementwise");
  large.width = 2048;
  EXPECT_EQ(refusal_of(large), "metal: elementwise: groups of at most 1024 threads");
}

TEST_F(MetalPipelines, EveryFailedCallIsARefusalAndLosesNothing) {
  for (long n = 1; n <= 3; ++n) {  // library, function, pipeline
    const long before = test::metal::alive();
    test::metal::fail_at(n, test::metal::Internal);
    EXPECT_NE(refusal_of(*find_text("elementwise")), "") << n;
    EXPECT_EQ(test::metal::alive(), before) << n;
  }
}

}  // namespace
}  // namespace ab::device::metal
