# bin/vcgpu, the library with its headers and CMake package, and the catalog sources.
include(CMakePackageConfigHelpers)

set(vcgpu_package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/vcgpu")

install(TARGETS vcgpu_cli RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
install(TARGETS vcgpu EXPORT vcgpuTargets
  ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}"
  LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}")
install(DIRECTORY include/vcgpu DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}"
  FILES_MATCHING PATTERN "*.hpp")
install(FILES "${vcgpu_generated}/include/vcgpu/version.hpp"
  DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/vcgpu")
install(DIRECTORY data/ DESTINATION "${CMAKE_INSTALL_DATADIR}/vcgpu"
  FILES_MATCHING PATTERN "*.json")
install(DIRECTORY docs/ DESTINATION "${CMAKE_INSTALL_DOCDIR}"
  FILES_MATCHING PATTERN "*.md" PATTERN "*.csv")
# Copied beside training scripts, which run elsewhere.
install(PROGRAMS tools/vcgpu_record.py DESTINATION "${CMAKE_INSTALL_DATADIR}/vcgpu")
install(FILES LICENSE CHANGELOG.md DESTINATION "${CMAKE_INSTALL_DOCDIR}")
install(FILES README.md DESTINATION "${CMAKE_INSTALL_DOCDIR}" OPTIONAL)

install(EXPORT vcgpuTargets NAMESPACE vcgpu:: DESTINATION "${vcgpu_package_dir}")
configure_package_config_file(cmake/vcgpuConfig.cmake.in
  "${PROJECT_BINARY_DIR}/vcgpuConfig.cmake"
  INSTALL_DESTINATION "${vcgpu_package_dir}")
write_basic_package_version_file("${PROJECT_BINARY_DIR}/vcgpuConfigVersion.cmake"
  COMPATIBILITY SameMinorVersion)
install(FILES
  "${PROJECT_BINARY_DIR}/vcgpuConfig.cmake" "${PROJECT_BINARY_DIR}/vcgpuConfigVersion.cmake"
  DESTINATION "${vcgpu_package_dir}")
