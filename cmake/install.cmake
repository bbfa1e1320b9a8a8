# What `make install` writes: libraries, headers, the command line, pkg-config and CMake files; all of it relocatable.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

foreach(library applebottom applebottom_static)
  set_target_properties(${library} PROPERTIES INTERFACE_INCLUDE_DIRECTORIES
    "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>;$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>")
endforeach()
set_target_properties(applebottom_static PROPERTIES EXPORT_NAME static)
install(TARGETS applebottom applebottom_static EXPORT applebottomTargets
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
if(TARGET applebottom_blas) # alone in its folder, from which LD_LIBRARY_PATH and update-alternatives may take it
  set_target_properties(applebottom_blas PROPERTIES EXPORT_NAME blas)
  install(TARGETS applebottom_blas EXPORT applebottomTargets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/applebottom/blas)
  # The name that linkers and FindBLAS look for in applebottom-blas.pc.
  file(CREATE_LINK applebottom/blas/libblas.so.3 ${PROJECT_BINARY_DIR}/generated/libapplebottom-blas.so SYMBOLIC)
  install(FILES ${PROJECT_BINARY_DIR}/generated/libapplebottom-blas.so DESTINATION ${CMAKE_INSTALL_LIBDIR})
endif()
install(DIRECTORY include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
install(FILES README.md CHANGELOG.md LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs/ DESTINATION ${CMAKE_INSTALL_DOCDIR}/docs FILES_MATCHING PATTERN "*.md")
if(TARGET applebottom_cli)
  file(RELATIVE_PATH to_libraries /${CMAKE_INSTALL_BINDIR} /${CMAKE_INSTALL_LIBDIR})
  if(NOT APPLE)
    set_target_properties(applebottom_cli PROPERTIES INSTALL_RPATH "$ORIGIN/${to_libraries}")
  endif()
  install(TARGETS applebottom_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  if(TARGET applebottom_man_page)
    install(FILES ${PROJECT_BINARY_DIR}/applebottom.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
  endif()
endif()

set(ab_config_dir ${CMAKE_INSTALL_LIBDIR}/cmake/applebottom)
install(EXPORT applebottomTargets NAMESPACE applebottom:: DESTINATION ${ab_config_dir})
configure_package_config_file(cmake/applebottomConfig.cmake.in ${PROJECT_BINARY_DIR}/applebottomConfig.cmake
  INSTALL_DESTINATION ${ab_config_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/applebottomConfigVersion.cmake COMPATIBILITY SameMajorVersion)
install(FILES ${PROJECT_BINARY_DIR}/applebottomConfig.cmake ${PROJECT_BINARY_DIR}/applebottomConfigVersion.cmake
  DESTINATION ${ab_config_dir})

# The prefix in the .pc files is found from where they lie.
file(RELATIVE_PATH ab_pc_to_prefix /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
set(ab_pc_files applebottom)
if(TARGET applebottom_blas)
  list(APPEND ab_pc_files applebottom-blas)
endif()
foreach(name ${ab_pc_files})
  configure_file(cmake/${name}.pc.in ${PROJECT_BINARY_DIR}/${name}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/${name}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endforeach()
