# Writes a file's bytes as the array kernel_image. Run as a script: cmake -DIMAGE=file -DOUTPUT=source -P embed_image.cmake
file(READ ${IMAGE} bytes HEX)
string(LENGTH "${bytes}" digits)
math(EXPR count "${digits} / 2")
string(REGEX REPLACE "(................................................................)" "\\1\n" bytes "${bytes}")
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
file(WRITE ${OUTPUT} "// Generated from kernels/variants.txt by nvcc.
#include \"device/cuda/kernel_image.hpp\"
namespace ab::device::cuda {
alignas(64) const unsigned char kernel_image[] = {
${bytes}};
const std::size_t kernel_image_bytes = ${count};
}  // namespace ab::device::cuda
")
