# What `make install` writes: libraries, headers, the command line, pkg-config and CMake files; all of it relocatable.
include(GNUInstallDirs)
set(AB_PC_PRIVATE_LIBS "-ltbb -lstdc++ -lpthread -ldl")
set(AB_CONFIG_TBB "find_dependency(TBB)")
if(APPLE)
  set(AB_PC_PRIVATE_LIBS "-lc++ -framework Accelerate -framework Metal -framework Foundation")
  if(AB_TBB)
    string(PREPEND AB_PC_PRIVATE_LIBS "-ltbb ")
  else()
    set(AB_CONFIG_TBB "")
  endif()
endif()
include(CMakePackageConfigHelpers)

foreach(library applebottom applebottom_static)
  set_target_properties(${library} PROPERTIES INTERFACE_INCLUDE_DIRECTORIES
    "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>;$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>")
endforeach()
set_target_properties(applebottom_static PROPERTIES EXPORT_NAME static)
install(TARGETS applebottom applebottom_static EXPORT applebottomTargets
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
install(FILES README.md CHANGELOG.md LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs/ DESTINATION ${CMAKE_INSTALL_DOCDIR}/docs FILES_MATCHING PATTERN "*.md")
if(TARGET applebottom_cli)
  file(RELATIVE_PATH to_libraries /${CMAKE_INSTALL_BINDIR} /${CMAKE_INSTALL_LIBDIR})
  if(APPLE)
    set_target_properties(applebottom_cli PROPERTIES INSTALL_RPATH "@loader_path/${to_libraries}")
  else()
    set_target_properties(applebottom_cli PROPERTIES INSTALL_RPATH "$ORIGIN/${to_libraries}")
  endif()
  install(TARGETS applebottom_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()

set(ab_config_dir ${CMAKE_INSTALL_LIBDIR}/cmake/applebottom)
install(EXPORT applebottomTargets NAMESPACE applebottom:: DESTINATION ${ab_config_dir})
configure_package_config_file(cmake/applebottomConfig.cmake.in ${PROJECT_BINARY_DIR}/applebottomConfig.cmake
  INSTALL_DESTINATION ${ab_config_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/applebottomConfigVersion.cmake COMPATIBILITY SameMajorVersion)
install(FILES ${PROJECT_BINARY_DIR}/applebottomConfig.cmake ${PROJECT_BINARY_DIR}/applebottomConfigVersion.cmake
  DESTINATION ${ab_config_dir})

# The prefix of applebottom.pc is found from where the file lies.
file(RELATIVE_PATH ab_pc_to_prefix /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
configure_file(cmake/applebottom.pc.in ${PROJECT_BINARY_DIR}/applebottom.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/applebottom.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
