# Writes Metal texts as the table kernel_texts.
# Run as a script: cmake -DFOLDER=... -DOUTPUT=source -P embed_metal.cmake
file(STRINGS ${FOLDER}/launches.txt launches)
set(arrays "")
set(rows "")
foreach(launch ${launches})
  string(REGEX MATCH "^([^|]+)\\|([^|]+)\\|(.*)$" unused "${launch}")
  set(name ${CMAKE_MATCH_1})
  set(row "\"${CMAKE_MATCH_1}\", \"${CMAKE_MATCH_2}\", ${CMAKE_MATCH_3}")
  file(READ ${FOLDER}/${name}.metal text)
  string(APPEND arrays "constexpr char text_of_${name}[] = R\"metal(${text})metal\";\n")
  string(APPEND rows "    {${row}, text_of_${name}},\n")
endforeach()
file(WRITE ${OUTPUT} "// Generated from kernels/variants.txt and device/metal/native/variants.txt.
#include \"device/metal/kernel_texts.hpp\"
#include \"kernels/host.hpp\"
namespace ab::device::metal {
namespace {
${arrays}}  // namespace
const KernelText kernel_texts[] = {
${rows}    {nullptr, nullptr, 0, 0, 0, 0, nullptr}};
}  // namespace ab::device::metal
")
