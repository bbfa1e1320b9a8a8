# The common kernels for CUDA devices: one text with every variant, compiled by nvcc into one image (PTX for all devices from Ampere on,
# machine code for Hopper) that the library carries. Without nvcc the image is empty, and the backend finds no devices.
option(AB_CUDA "Carry kernels for CUDA devices, where nvcc is found" ON)
set(AB_CUDA_FLAGS -fmad=false -ftz=false -prec-div=true -prec-sqrt=true) # docs/numerics.md, 12.1

# Sets OUT to the generated file that says what each kernel's launch looks like: read from the texts, no compiler needed.
function(ab_generate_cuda_shapes out)
  set(file ${PROJECT_BINARY_DIR}/generated/cuda_kernel_shapes.cpp)
  set(rows "")
  ab_read_variants(variants)
  foreach(variant ${variants})
    string(REPLACE "|" ";" words "${variant}")
    list(POP_FRONT words name kernel)
    ab_read_launch(${kernel} launch)
    string(APPEND rows "    {\"${name}\", ${launch}},\n")
  endforeach()
  file(CONFIGURE OUTPUT ${file} CONTENT "// Generated from kernels/variants.txt and the kernels' first lines.
#include \"device/cuda/kernel_image.hpp\"
#include \"kernels/host.hpp\"
namespace ab::device::cuda {
const KernelShape kernel_shapes[] = {
${rows}    {nullptr, 0, 0, 0, 0}};
}  // namespace ab::device::cuda
" @ONLY)
  set(${out} ${file} PARENT_SCOPE)
endfunction()

# Every variant in one CUDA text, each in a namespace, its function renamed to the variant.
function(ab_generate_cuda_text file)
  set(text "// Generated from kernels/variants.txt.\n#define AB_LANG_CUDA\n#include \"kernels/lang.h\"\n#include \"kernels/arithmetic.h\"\n")
  ab_read_variants(variants)
  foreach(variant ${variants})
    string(REPLACE "|" ";" words "${variant}")
    list(POP_FRONT words name kernel)
    string(REGEX REPLACE "\\.k$" "" entry "${kernel}")
    if(NOT entry STREQUAL name)
      list(APPEND words "${entry}=${name}")
    endif()
    set(undefine "")
    foreach(word ${words})
      string(REGEX MATCH "^([^=]+)=(.*)$" unused "${word}")
      string(APPEND text "#define ${CMAKE_MATCH_1} ${CMAKE_MATCH_2}\n")
      string(APPEND undefine "#undef ${CMAKE_MATCH_1}\n")
    endforeach()
    string(APPEND text "namespace ${name}_variant {\n#include \"kernels/${kernel}\"\n}\n${undefine}")
  endforeach()
  file(CONFIGURE OUTPUT ${file} CONTENT "${text}" @ONLY)
endfunction()

# Sets AB_NVCC_ARCHITECTURES to what the nvcc found compiles for; empty when there is none that works.
function(ab_find_nvcc)
  if(NOT AB_CUDA OR DEFINED CACHE{AB_NVCC_ARCHITECTURES})
    return()
  endif()
  find_program(AB_NVCC nvcc HINTS ENV CUDA_HOME ENV CUDA_PATH PATHS /usr/local/cuda PATH_SUFFIXES bin)
  set(architectures "")
  if(AB_NVCC)
    set(trial ${PROJECT_BINARY_DIR}/generated/nvcc_trial.cu)
    file(WRITE ${trial} "extern \"C\" __global__ void trial(float* x) { x[0] = __fadd_rn(x[0], 1.0f); }\n")
    foreach(architecture "compute_80,code=compute_80" "compute_90a,code=sm_90a")
      execute_process(COMMAND ${AB_NVCC} -fatbin -std=c++17 ${AB_CUDA_FLAGS} -gencode arch=${architecture} ${trial} -o ${trial}.fatbin
        RESULT_VARIABLE status OUTPUT_QUIET ERROR_QUIET)
      if(status EQUAL 0)
        list(APPEND architectures -gencode arch=${architecture})
      endif()
    endforeach()
  endif()
  set(AB_NVCC_ARCHITECTURES "${architectures}" CACHE INTERNAL "What nvcc compiles the kernels for")
endfunction()

# SOURCE: a generated file with the image that nvcc makes of TEXT for the given architectures, as the array ARRAY of HEADER.
# 177: arithmetic that no kernel uses.
function(ab_embed_cuda_image source text header array standard)
  cmake_path(REPLACE_EXTENSION source LAST_ONLY fatbin OUTPUT_VARIABLE image)
  file(GLOB native_texts CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/device/cuda/native/*.cu ${PROJECT_SOURCE_DIR}/src/device/cuda/native/*.cuh
    ${PROJECT_SOURCE_DIR}/src/device/cuda/native/layout.hpp)
  add_custom_command(OUTPUT ${source}
    COMMAND ${AB_NVCC} -fatbin ${AB_CUDA_FLAGS} -std=${standard} ${ARGN} -diag-suppress 177 -Werror all-warnings
      -I ${PROJECT_SOURCE_DIR}/src ${text} -o ${image}
    COMMAND ${CMAKE_COMMAND} -DIMAGE=${image} -DOUTPUT=${source} -DHEADER=${header} -DARRAY=${array}
      -P ${PROJECT_SOURCE_DIR}/cmake/embed_image.cmake
    DEPENDS ${text} ${AB_KERNEL_TEXTS} ${native_texts} ${PROJECT_SOURCE_DIR}/cmake/embed_image.cmake
    COMMENT "Kernels for CUDA devices: ${array}" VERBATIM)
endfunction()

# The object library ab_cuda_kernels: shapes, the image of the common kernels, and that of the native ones (perhaps empty), which has machine
# code for Hopper, Ampere and Ada, and PTX for what comes later.
function(ab_add_cuda_kernels)
  ab_generate_cuda_shapes(shapes)
  ab_find_nvcc()
  set(images ${PROJECT_SOURCE_DIR}/src/device/cuda/absent.cpp)
  if(AB_CUDA AND AB_NVCC_ARCHITECTURES)
    set(folder ${PROJECT_BINARY_DIR}/generated)
    set(images ${folder}/cuda_kernel_image.cpp)
    ab_generate_cuda_text(${folder}/cuda_kernels.cu)
    ab_embed_cuda_image(${folder}/cuda_kernel_image.cpp ${folder}/cuda_kernels.cu device/cuda/kernel_image.hpp kernel_image c++17
      ${AB_NVCC_ARCHITECTURES})
    if(AB_NVCC_ARCHITECTURES MATCHES "sm_90a")
      ab_embed_cuda_image(${folder}/cuda_native_image.cpp ${PROJECT_SOURCE_DIR}/src/device/cuda/native/kernels.cu
        device/cuda/native/native_image.hpp native_image c++20 ${AB_NVCC_ARCHITECTURES} -gencode arch=compute_80,code=sm_80)
      list(APPEND images ${folder}/cuda_native_image.cpp)
    else()
      list(APPEND images ${PROJECT_SOURCE_DIR}/src/device/cuda/native/absent.cpp)
    endif()
    message(STATUS "Kernels for CUDA devices: ${AB_NVCC}")
  else()
    list(APPEND images ${PROJECT_SOURCE_DIR}/src/device/cuda/native/absent.cpp)
    message(STATUS "Kernels for CUDA devices: none (nvcc is not here or switched off)")
  endif()
  add_library(ab_cuda_kernels OBJECT ${shapes} ${images})
  target_include_directories(ab_cuda_kernels PRIVATE ${PROJECT_SOURCE_DIR}/src)
endfunction()
