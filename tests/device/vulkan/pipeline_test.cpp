// SPDX-License-Identifier: MIT
#include "device/vulkan/pipeline.hpp"

#include <cstring>
#include <fstream>
#include <set>
#include <sstream>

#include "sim/vulkan/failing.hpp"

namespace ab::device::vulkan {
namespace {

class VulkanPipelines : public test::OnVulkan {
 protected:
  static std::shared_ptr<LogicalDevice> open() { return std::make_shared<LogicalDevice>(*instance(), 0); }
};

const KernelText& text_named(const std::string& name) {
  const KernelText* text = kernel_texts;
  while (text->name != nullptr && name != text->name) ++text;
  return *text;
}

TEST(VulkanTexts, AreThoseOfTheVariants) {
  std::set<std::string> wanted, found;
  std::ifstream variants(AB_VARIANTS_FILE);
  for (std::string line, name; std::getline(variants, line);) {
    if (!line.starts_with('#') && std::istringstream(line) >> name) wanted.insert(name);
  }
  for (const KernelText* text = kernel_texts; text->name != nullptr; ++text) {
    const std::string name = text->name;
    if (!name.ends_with("_khr") && !name.ends_with("_nv") && !name.ends_with("_words")) found.insert(name);  // native ones
  }
  EXPECT_EQ(found, wanted);
}

TEST(VulkanTexts, SpellingsShareWhatIsTheSame) {
  const KernelText &dd = text_named("gemm_dd"), &scan = text_named("scan");
  EXPECT_NE(dd.spirv[Plain].words, dd.spirv[SoftFma].words);
  EXPECT_EQ(scan.spirv[Plain].words, scan.spirv[SoftFma].words);
  const KernelText& product = text_named("modular_gemm_i8");
  EXPECT_EQ(product.spirv[Plain].words, product.spirv[SoftFma].words);
  EXPECT_NE(product.spirv[Plain].words, product.spirv[PackedDot].words);
  EXPECT_EQ(dd.spirv[Plain].words, dd.spirv[PackedDot].words);
}

TEST_F(VulkanPipelines, OfEverySpellingAreMade) {
  const auto device = open();
  for (const char* name : {"scan", "gemm_dd", "elementwise"}) {
    for (const Spelling spelling : {Plain, SoftFma}) {
      const Pipeline pipeline(device, text_named(name), spelling);
      EXPECT_NE(pipeline.handle(), VkPipeline(VK_NULL_HANDLE));
    }
  }
}

TEST_F(VulkanPipelines, ThatFailNameTheirKernelAndLoseNothing) {
  const auto device = open();
  const long before = test::failing().alive();
  for (long n = 1; n <= 4; ++n) {  // layouts of set and pipeline, module, pipeline
    test::failing().fail_at(n, VK_ERROR_INITIALIZATION_FAILED, test::VulkanFailures::One);
    try {
      const Pipeline pipeline(device, text_named("elementwise"), Plain);
      ADD_FAILURE() << n;
    } catch (const Error& error) {
      EXPECT_EQ(error.status(), Status::ShaderCompile);
      EXPECT_EQ(std::strstr(error.what(), "elementwise") != nullptr, n > 2) << error.what();
    }
    EXPECT_EQ(test::failing().alive(), before) << n;
  }
}

}  // namespace
}  // namespace ab::device::vulkan
