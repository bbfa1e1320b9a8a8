// SPDX-License-Identifier: MIT
// A kernel as the device runs it, compiled from its text.
#pragma once
#include <memory>

#include "device/metal/gpu.hpp"
#include "device/metal/kernel_texts.hpp"

namespace ab::device::metal {

class Pipeline {
 public:
  /// Throws Error(ShaderCompile) when Metal refuses the text, or groups of that many threads.
  Pipeline(std::shared_ptr<Gpu> gpu, const KernelText& text);
  Pipeline(const Pipeline&) = delete;
  Pipeline& operator=(const Pipeline&) = delete;
  ~Pipeline();

  id handle() const { return state_.get(); }
  const KernelText& text() const { return text_; }

 private:
  void compile();
  [[noreturn]] void refuse(const std::string& why) const;

  const std::shared_ptr<Gpu> gpu_;
  const KernelText& text_;
  Owned state_;
};

}  // namespace ab::device::metal
