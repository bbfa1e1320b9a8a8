# Writes SPIR-V files as the table kernel_texts. Spellings of a kernel with the same words share them.
# Run as a script: cmake -DFOLDER=... -DSPELLINGS=... -DOUTPUT=source -P embed_spirv.cmake
file(STRINGS ${FOLDER}/launches.txt launches)
set(arrays "")
set(rows "")
foreach(launch ${launches})
  string(REGEX MATCH "^([^|]+)\\|(.*)$" unused "${launch}")
  set(name ${CMAKE_MATCH_1})
  set(shape "${CMAKE_MATCH_2}")
  set(names "")
  foreach(spelling IN LISTS SPELLINGS)
    set(array ${name}${spelling})
    foreach(word _dot _soft_fma) # no byte products, no fma in any of its spellings
      if(NOT EXISTS ${FOLDER}/${array}.spv)
        string(REGEX REPLACE "${word}$" "" array ${array})
      endif()
    endforeach()
    file(SHA256 ${FOLDER}/${array}.spv hash)
    if(DEFINED array_of_${name}_${hash})
      set(array ${array_of_${name}_${hash}})
    else()
      set(array_of_${name}_${hash} ${array})
      file(READ ${FOLDER}/${array}.spv bytes HEX)
      string(REGEX REPLACE "(................................................................)" "\\1\n" bytes "${bytes}")
      string(REGEX REPLACE "([0-9a-f][0-9a-f])([0-9a-f][0-9a-f])([0-9a-f][0-9a-f])([0-9a-f][0-9a-f])" "0x\\4\\3\\2\\1," words "${bytes}")
      string(APPEND arrays "constexpr std::uint32_t ${array}[] = {\n${words}};\n")
    endif()
    list(APPEND names "Spirv{${array}, sizeof ${array}}")
  endforeach()
  list(JOIN names ", " names)
  string(APPEND rows "    {\"${name}\", ${shape}, {${names}}},\n")
endforeach()
file(WRITE ${OUTPUT} "// Generated from kernels/variants.txt by glslangValidator.
#include \"device/vulkan/kernel_texts.hpp\"
#include \"kernels/host.hpp\"
namespace ab::device::vulkan {
namespace {
${arrays}}  // namespace
const KernelText kernel_texts[] = {
${rows}    {nullptr, 0, 0, 0, 0, {}}};
}  // namespace ab::device::vulkan
")
