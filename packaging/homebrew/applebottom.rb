# SPDX-License-Identifier: MIT
# A formula to start from: the url and sha256 of a release go in, nothing of it has been installed yet (docs/apple.md).
class Applebottom < Formula
  desc "Certified FP64 matrix products on hardware without fast FP64"
  homepage "https://github.com/grantdh/apple-bottom"
  license "MIT"
  head "https://github.com/grantdh/apple-bottom.git", branch: "main"

  depends_on "cmake" => :build
  depends_on "cli11" => :build
  depends_on "nlohmann-json" => :build
  depends_on "fmt"
  depends_on "tbb"
  depends_on macos: :ventura

  def install
    system "cmake", "-S", ".", "-B", "build", "-DAB_BUILD_TESTS=OFF", *std_cmake_args
    system "cmake", "--build", "build"
    system "cmake", "--install", "build"
  end

  test do
    (testpath/"product.c").write <<~C
      #include <apple_bottom_blas.h>
      #include <stdio.h>
      int main(void) {
        double a[4] = {1, 2, 3, 4}, b[4] = {5, 6, 7, 8}, c[4];
        ab_dgemm_blas('N', 'N', 2, 2, 2, 1, a, 2, b, 2, 0, c, 2);
        printf("%g %g %g %g", c[0], c[1], c[2], c[3]);
        return 0;
      }
    C
    system ENV.cc, "product.c", "-I#{include}", "-L#{lib}", "-lapplebottom", "-o", "product"
    assert_equal "23 34 31 46", shell_output("./product")
    system bin/"applebottom", "info"
  end
end
