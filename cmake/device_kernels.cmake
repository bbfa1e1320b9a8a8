# The kernels of kernels/variants.txt as texts for device compilers, each complete in itself:
# <build>/generated/<language>/<variant>.<extension>, and <variant>_soft_fma.<extension> for devices whose fma is not fused.
# ab_add_device_texts(language) makes the target ab_<language>_texts and sets AB_<LANGUAGE>_TEXTS to its files.
include_guard()
set(AB_TEXT_LANGUAGES opencl glsl cuda metal)
set(AB_TEXT_EXTENSION_opencl cl)
set(AB_TEXT_EXTENSION_glsl comp)
set(AB_TEXT_EXTENSION_cuda cu)
set(AB_TEXT_EXTENSION_metal metal)

# One text: the preprocessor alone, without a host's macros (-undef) and headers. Words after `file` are defines.
function(ab_add_device_text language kernel file)
  string(TOUPPER ${language} upper)
  list(TRANSFORM ARGN PREPEND -D OUTPUT_VARIABLE defines)
  add_custom_command(OUTPUT ${file}
    COMMAND ${CMAKE_C_COMPILER} -E -P -undef -nostdinc -x c -I ${PROJECT_SOURCE_DIR}/src -DAB_LANG_${upper}
      "-DAB_KERNEL_TEXT=\"kernels/${kernel}\"" ${defines} ${AB_KERNEL_DIR}/device_text.h -o ${file}
    DEPENDS ${AB_KERNEL_TEXTS}
    COMMENT "Kernel text ${file}" VERBATIM)
endfunction()

function(ab_add_device_texts language)
  set(folder ${PROJECT_BINARY_DIR}/generated/${language})
  file(MAKE_DIRECTORY ${folder})
  ab_read_variants(variants)
  set(files "")
  foreach(variant ${variants})
    string(REPLACE "|" ";" words "${variant}")
    list(POP_FRONT words name kernel)
    foreach(suffix "" _soft_fma)
      set(file ${folder}/${name}${suffix}.${AB_TEXT_EXTENSION_${language}})
      if(suffix)
        list(APPEND words AB_SOFT_FMA=1)
      endif()
      ab_add_device_text(${language} ${kernel} ${file} ${words})
      list(APPEND files ${file})
    endforeach()
  endforeach()
  add_custom_target(ab_${language}_texts ALL DEPENDS ${files})
  string(TOUPPER ${language} upper)
  set(AB_${upper}_TEXTS ${files} PARENT_SCOPE)
endfunction()
