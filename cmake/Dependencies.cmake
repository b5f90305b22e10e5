# The libraries vcgpu stands on, all from distribution packages:
#   vcgpu_dependencies  nlohmann/json, fmt, spdlog, cereal, libfccp, libmd
#   CLI11::CLI11        for the executable alone
#
# fmt and spdlog are taken as headers. Debian ships them compiled as shared objects only, and each
# shared object costs the loader about as much as the whole of vcgpu's own work.

# vcgpu_require(NAME PACKAGE [VERSION]): find_package that says which Debian package is missing.
macro(vcgpu_require name package)
  find_package(${name} ${ARGN} CONFIG QUIET)
  if(NOT ${name}_FOUND)
    message(FATAL_ERROR
      "${name} ${ARGN} was not found. On Debian: apt-get install ${package}. "
      "scripts/run and scripts/test install all that is needed.")
  endif()
endmacro()

set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)
vcgpu_require(CLI11 libcli11-dev 2.1)
vcgpu_require(nlohmann_json nlohmann-json3-dev 3.11)
vcgpu_require(fmt libfmt-dev)
vcgpu_require(spdlog libspdlog-dev)
vcgpu_require(cereal libcereal-dev)

# SHA-256. libmd ships no CMake package; its static archive spares the loader a shared object.
find_path(LIBMD_INCLUDE_DIR sha2.h)
find_library(LIBMD_LIBRARY NAMES libmd.a md)
if(NOT LIBMD_INCLUDE_DIR OR NOT LIBMD_LIBRARY)
  message(FATAL_ERROR "libmd was not found. On Debian: apt-get install libmd-dev. "
    "scripts/run and scripts/test install all that is needed.")
endif()
mark_as_advanced(LIBMD_INCLUDE_DIR LIBMD_LIBRARY)

# CSV. A single header, without a CMake package.
find_path(FCCP_INCLUDE_DIR csv.h PATH_SUFFIXES libfccp)
if(NOT FCCP_INCLUDE_DIR)
  message(FATAL_ERROR "libfccp (fast-cpp-csv-parser) was not found. "
    "On Debian: apt-get install libfccp-dev. "
    "scripts/run and scripts/test install all that is needed.")
endif()
mark_as_advanced(FCCP_INCLUDE_DIR)

if(fmt_VERSION VERSION_LESS 9)
  message(FATAL_ERROR "fmt ${fmt_VERSION} is too old: vcgpu needs 9 or newer.")
endif()

add_library(vcgpu_dependencies INTERFACE)
target_link_libraries(vcgpu_dependencies INTERFACE
  nlohmann_json::nlohmann_json fmt::fmt-header-only cereal::cereal Threads::Threads
  "${LIBMD_LIBRARY}")
# Not spdlog::spdlog_header_only: Debian's links the shared libfmt.
target_include_directories(vcgpu_dependencies SYSTEM INTERFACE
  $<TARGET_PROPERTY:spdlog::spdlog_header_only,INTERFACE_INCLUDE_DIRECTORIES>
  "${LIBMD_INCLUDE_DIR}" "${FCCP_INCLUDE_DIR}")
target_compile_definitions(vcgpu_dependencies INTERFACE SPDLOG_FMT_EXTERNAL)
