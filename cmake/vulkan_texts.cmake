# The common kernels for Vulkan devices: SPIR-V of every variant in each spelling that differs, embedded in the library. Without
# Vulkan's headers or a GLSL compiler the backend is src/device/vulkan/absent.cpp, which finds no devices.
option(AB_VULKAN "Carry kernels for Vulkan devices, where headers and glslangValidator are found" ON)
set(AB_VULKAN_SPELLINGS "" _soft_fma _dot _soft_fma_dot) # by number of vulkan::Spelling

# Texts with byte products once more with the device's own. Sets OUT to the files.
function(ab_add_packed_dot_texts out)
  set(files "")
  ab_read_variants(variants)
  foreach(variant ${variants})
    string(REPLACE "|" ";" words "${variant}")
    list(POP_FRONT words name kernel)
    file(READ ${AB_KERNEL_DIR}/${kernel} text)
    if(text MATCHES "AB_DOT")
      set(file ${PROJECT_BINARY_DIR}/generated/glsl/${name})
      ab_add_device_text(glsl ${kernel} ${file}_dot.comp ${words} AB_PACKED_DOT=1)
      ab_add_device_text(glsl ${kernel} ${file}_soft_fma_dot.comp ${words} AB_PACKED_DOT=1 AB_SOFT_FMA=1)
      list(APPEND files ${file}_dot.comp ${file}_soft_fma_dot.comp)
    endif()
  endforeach()
  set_property(GLOBAL PROPERTY AB_PACKED_DOT_TEXTS ${files}) # for the lint of the tests
  set(${out} ${files} PARENT_SCOPE)
endfunction()

# A native text of `kernel` with defines. Sets OUT to the file.
function(ab_add_native_text name kernel out)
  set(kernel ${PROJECT_SOURCE_DIR}/src/device/vulkan/native/${kernel})
  set(file ${PROJECT_BINARY_DIR}/generated/glsl/${name}.comp)
  list(TRANSFORM ARGN PREPEND -D OUTPUT_VARIABLE defines)
  add_custom_command(OUTPUT ${file}
    COMMAND ${CMAKE_C_COMPILER} -E -P -undef -nostdinc -x c -I ${PROJECT_SOURCE_DIR}/src -DAB_LANG_GLSL ${defines}
      "-DAB_KERNEL_TEXT=\"${kernel}\"" ${AB_KERNEL_DIR}/device_text.h -o ${file}
    DEPENDS ${AB_KERNEL_TEXTS} ${kernel} ${AB_MATRIX_WORDS} COMMENT "Kernel text ${file}" VERBATIM)
  set(${out} ${file} PARENT_SCOPE)
endfunction()

# The native text of matrices with the words that `first_lines` has, and a define. Sets OUT to the file.
function(ab_add_matrix_text name first_lines define out)
  set(AB_MATRIX_WORDS ${first_lines})
  ab_add_native_text(${name} product_i8.comp file ${define} "AB_FIRST_LINES=\"${first_lines}\"")
  set(${out} ${file} PARENT_SCOPE)
endfunction()

# Texts for software renderers. Sets OUT_ROWS and OUT_FILES as the next function.
function(ab_add_word_texts out_rows out_files)
  ab_add_native_text(modular_gemm_i8_words words_i8.comp real AB_PRODUCTS=1)
  ab_add_native_text(modular_gemm_i8_3m_words words_i8.comp complex AB_PRODUCTS=3)
  set(${out_rows} "modular_gemm_i8_words|2, 4, 4, sizeof(kernels::modular_params)
modular_gemm_i8_3m_words|2, 4, 4, sizeof(kernels::modular_params)\n" PARENT_SCOPE)
  set(${out_files} ${real} ${complex} PARENT_SCOPE)
endfunction()

# Texts for devices with cooperative matrices, spelled for each extension that the compiler knows. Sets OUT_ROWS to "name|launch" lines,
# OUT_FILES to the files.
function(ab_add_matrix_texts out_rows out_files)
  set(rows "")
  set(files "")
  foreach(extension KHR NV)
    set(probe ${PROJECT_BINARY_DIR}/generated/knows_${extension}.comp)
    file(WRITE ${probe} "#version 450\n#extension GL_${extension}_cooperative_matrix : require\nvoid main() {}\n")
    execute_process(COMMAND ${AB_GLSLANG} --quiet --target-env vulkan1.1 ${probe} -o ${probe}.spv OUTPUT_QUIET RESULT_VARIABLE unknown)
    if(unknown)
      continue()
    endif()
    string(TOLOWER ${extension} words)
    foreach(variant "modular_gemm_i8;1" "modular_gemm_i8_3m;3")
      list(POP_FRONT variant name products)
      ab_add_matrix_text(${name}_${words} ${PROJECT_SOURCE_DIR}/src/device/vulkan/native/matrices_${words}.h AB_PRODUCTS=${products} file)
      string(APPEND rows "${name}_${words}|256, 1, 4, sizeof(kernels::modular_params)\n")
      list(APPEND files ${file})
    endforeach()
  endforeach()
  set(${out_rows} "${rows}" PARENT_SCOPE)
  set(${out_files} "${files}" PARENT_SCOPE)
endfunction()

# Compiles texts: <folder>/<variant><spelling>.spv. Sets OUT to the files.
function(ab_compile_spirv folder out)
  set(files "")
  foreach(text ${ARGN})
    get_filename_component(name ${text} NAME_WE)
    set(file ${folder}/${name}.spv)
    add_custom_command(OUTPUT ${file} COMMAND ${AB_GLSLANG} --quiet --target-env vulkan1.1 -S comp ${text} -o ${file}
      DEPENDS ${text} COMMENT "SPIR-V ${name}" VERBATIM)
    list(APPEND files ${file})
  endforeach()
  set(${out} "${files}" PARENT_SCOPE)
endfunction()

# The object library ab_vulkan_kernels; AB_HAS_VULKAN_KERNELS says whether there is anything in it.
function(ab_add_vulkan_kernels)
  find_path(AB_VULKAN_HEADERS vulkan/vulkan_core.h)
  find_program(AB_GLSLANG NAMES glslangValidator glslang)
  set(source ${PROJECT_BINARY_DIR}/generated/empty_vulkan.cpp)
  set(found OFF)
  if(AB_VULKAN AND AB_VULKAN_HEADERS AND AB_GLSLANG)
    set(found ON)
    set(folder ${PROJECT_BINARY_DIR}/generated/spirv)
    file(MAKE_DIRECTORY ${folder})
    include(${PROJECT_SOURCE_DIR}/cmake/device_kernels.cmake)
    ab_add_device_texts(glsl)
    ab_add_packed_dot_texts(dot_texts)
    ab_add_matrix_texts(rows matrix_texts)
    ab_add_word_texts(word_rows word_texts)
    string(APPEND rows ${word_rows})
    set_property(GLOBAL PROPERTY AB_NATIVE_GLSL_TEXTS ${matrix_texts} ${word_texts}) # for the lint of the tests
    ab_compile_spirv(${folder} files ${AB_GLSL_TEXTS} ${dot_texts} ${matrix_texts} ${word_texts})
    ab_read_variants(variants)
    foreach(variant ${variants})
      string(REPLACE "|" ";" words "${variant}")
      list(GET words 0 name)
      list(GET words 1 kernel)
      ab_read_launch(${kernel} launch)
      string(APPEND rows "${name}|${launch}\n")
    endforeach()
    file(CONFIGURE OUTPUT ${folder}/launches.txt CONTENT "${rows}" @ONLY)
    set(source ${folder}/kernel_texts.cpp)
    set(script ${PROJECT_SOURCE_DIR}/cmake/embed_spirv.cmake)
    add_custom_command(OUTPUT ${source}
      COMMAND ${CMAKE_COMMAND} -DFOLDER=${folder} "-DSPELLINGS=${AB_VULKAN_SPELLINGS}" -DOUTPUT=${source} -P ${script}
      DEPENDS ${files} ${folder}/launches.txt ${script} COMMENT "Kernels for Vulkan devices" VERBATIM)
    message(STATUS "Kernels for Vulkan devices: ${AB_GLSLANG}")
  else()
    file(WRITE ${source} "")
    message(STATUS "Kernels for Vulkan devices: none (vulkan/vulkan_core.h or glslangValidator is not here, or switched off)")
  endif()
  add_library(ab_vulkan_kernels OBJECT ${source})
  target_include_directories(ab_vulkan_kernels PRIVATE ${PROJECT_SOURCE_DIR}/src)
  set(AB_HAS_VULKAN_KERNELS ${found} CACHE INTERNAL "The Vulkan backend is built")
endfunction()
