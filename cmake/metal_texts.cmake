# The kernels for Metal devices: every variant as one Metal text, common and native, embedded in the library and compiled by Metal on the
# user's machine. The backend itself (Objective-C++) is built on macOS; elsewhere it is src/device/metal/absent.cpp, and tests/sim/metal
# builds it on a simulator.
option(AB_METAL "Build the Metal backend (macOS)" ON)
set(AB_METAL_DIR ${PROJECT_SOURCE_DIR}/src/device/metal)
set(AB_METAL_SOURCES objects.mm gpu.mm buffer.mm pipeline.mm command_stream.mm metal_device.mm native/native.cpp)
list(TRANSFORM AB_METAL_SOURCES PREPEND ${AB_METAL_DIR}/)

# Native texts: the same first lines and arithmetic as the common ones. Sets OUT_ROWS to "name|function|launch" lines, OUT_FILES to the files.
function(ab_add_native_metal_texts folder out_rows out_files)
  set(rows "")
  set(files "")
  file(STRINGS ${AB_METAL_DIR}/native/variants.txt lines REGEX "^[a-z]")
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${AB_METAL_DIR}/native/variants.txt)
  foreach(line ${lines})
    string(REGEX MATCHALL "[^ \t]+" words "${line}")
    list(POP_FRONT words name kernel function width height buffers params)
    list(TRANSFORM words PREPEND -D OUTPUT_VARIABLE defines)
    set(file ${folder}/${name}.metal)
    add_custom_command(OUTPUT ${file}
      COMMAND ${CMAKE_C_COMPILER} -E -P -undef -nostdinc -x c -I ${PROJECT_SOURCE_DIR}/src -DAB_LANG_METAL
        "-DAB_KERNEL_TEXT=\"device/metal/native/${kernel}\"" ${defines} ${AB_KERNEL_DIR}/device_text.h -o ${file}
      DEPENDS ${AB_KERNEL_TEXTS} ${AB_METAL_DIR}/native/${kernel}
      COMMENT "Kernel text ${file}" VERBATIM)
    string(APPEND rows "${name}|${function}|${width}, ${height}, ${buffers}, sizeof(kernels::${params})\n")
    list(APPEND files ${file})
  endforeach()
  add_custom_target(ab_native_metal_texts ALL DEPENDS ${files})
  set_property(GLOBAL PROPERTY AB_NATIVE_METAL_TEXTS ${files}) # for the lint of the tests
  set(${out_rows} "${rows}" PARENT_SCOPE)
  set(${out_files} ${files} PARENT_SCOPE)
endfunction()

# Sets OUT to the generated source with the table kernel_texts; target ab_metal_texts makes the texts.
function(ab_generate_metal_texts out)
  include(${PROJECT_SOURCE_DIR}/cmake/device_kernels.cmake)
  ab_add_device_texts(metal)
  set(folder ${PROJECT_BINARY_DIR}/generated/metal)
  set(rows "")
  set(files "")
  ab_read_variants(variants)
  foreach(variant ${variants})
    string(REPLACE "|" ";" words "${variant}")
    list(POP_FRONT words name kernel)
    string(REGEX REPLACE "\\.k$" "" function "${kernel}")
    ab_read_launch(${kernel} launch)
    string(APPEND rows "${name}|${function}|${launch}\n")
    list(APPEND files ${folder}/${name}.metal)
  endforeach()
  ab_add_native_metal_texts(${folder} native_rows native_files)
  file(CONFIGURE OUTPUT ${folder}/launches.txt CONTENT "${rows}${native_rows}" @ONLY)
  set(script ${PROJECT_SOURCE_DIR}/cmake/embed_metal.cmake)
  add_custom_command(OUTPUT ${folder}/kernel_texts.cpp
    COMMAND ${CMAKE_COMMAND} -DFOLDER=${folder} -DOUTPUT=${folder}/kernel_texts.cpp -P ${script}
    DEPENDS ${files} ${native_files} ${folder}/launches.txt ${script} COMMENT "Kernels for Metal devices" VERBATIM)
  set(${out} ${folder}/kernel_texts.cpp PARENT_SCOPE)
endfunction()

# The object library ab_metal_backend: Metal's devices, or none; and ab_metal_kernels, its texts, for the simulator of the tests, too.
function(ab_add_metal_backend)
  set(wanted OFF)
  if(APPLE AND AB_METAL)
    set(wanted ON)
  endif()
  if(wanted OR AB_BUILD_TESTS)
    ab_generate_metal_texts(texts)
    add_library(ab_metal_kernels OBJECT EXCLUDE_FROM_ALL ${texts})
    target_include_directories(ab_metal_kernels PRIVATE ${PROJECT_SOURCE_DIR}/src)
  endif()
  if(wanted)
    add_library(ab_metal_backend OBJECT ${AB_METAL_SOURCES} ${texts})
    message(STATUS "Kernels for Metal devices: compiled when they are first launched")
  else()
    add_library(ab_metal_backend OBJECT ${AB_METAL_DIR}/absent.cpp)
    message(STATUS "Kernels for Metal devices: none (no macOS, or switched off)")
  endif()
  target_include_directories(ab_metal_backend PRIVATE ${PROJECT_SOURCE_DIR}/src)
endfunction()

# What programs with the Metal backend in them are linked with.
if(APPLE AND AB_METAL)
  set(AB_METAL_FRAMEWORKS "-framework Foundation" "-framework Metal")
endif()
