# Two interface targets:
#   vcgpu_options     how our sources compile
#   vcgpu_fast_start  how the executable links; start-up time is a feature, so the loader gets
#                     little to do: no C++ runtime to load, no unused code, few relocations
include(CheckCXXCompilerFlag)

# -O2, not CMake's -O3: smaller code, fewer pages to fault in, no slower here.
string(REPLACE "-O3" "-O2" CMAKE_CXX_FLAGS_RELEASE "${CMAKE_CXX_FLAGS_RELEASE}")

if(CMAKE_BUILD_TYPE STREQUAL "Release" AND NOT VCGPU_SANITIZE AND NOT VCGPU_COVERAGE)
  set(vcgpu_static_runtime_default ON)
else()
  set(vcgpu_static_runtime_default OFF)
endif()
option(VCGPU_STATIC_RUNTIME "Link libstdc++ and libgcc into the executable"
  ${vcgpu_static_runtime_default})
option(VCGPU_LTO "Optimize across files at link time: slower builds" OFF)

if(VCGPU_LTO)
  set(CMAKE_INTERPROCEDURAL_OPTIMIZATION ON)
endif()

if(VCGPU_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  find_program(VCGPU_CCACHE_PROGRAM ccache)
  if(VCGPU_CCACHE_PROGRAM)
    set(CMAKE_CXX_COMPILER_LAUNCHER "${VCGPU_CCACHE_PROGRAM}")
  endif()
endif()

set(vcgpu_warnings
  -Wall -Wextra -Wpedantic
  -Wcast-align -Wcast-qual -Wconversion -Wdouble-promotion -Wextra-semi -Wformat=2
  -Wimplicit-fallthrough -Wnon-virtual-dtor -Wold-style-cast -Woverloaded-virtual -Wshadow
  -Wundef -Wunused)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  list(APPEND vcgpu_warnings
    -Wduplicated-branches -Wduplicated-cond -Wlogical-op -Wsuggest-override)
  if(CMAKE_CXX_COMPILER_VERSION VERSION_LESS 14)
    # Fires inside std::string's own operator+ (GCC bug 105651).
    list(APPEND vcgpu_warnings -Wno-restrict)
  else()
    # Fire inside the copy of a std::vector<int> of one element (GCC bugs 111499, 117983).
    list(APPEND vcgpu_warnings -Wno-array-bounds -Wno-stringop-overflow)
  endif()
elseif(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  # clang counts sign conversions into -Wconversion, g++ does not: one rule for both.
  list(APPEND vcgpu_warnings -Wno-sign-conversion -Wsuggest-override)
endif()
if(VCGPU_WERROR)
  list(APPEND vcgpu_warnings -Werror)
endif()

add_library(vcgpu_options INTERFACE)
target_compile_features(vcgpu_options INTERFACE cxx_std_20)
target_compile_options(vcgpu_options INTERFACE
  "$<$<COMPILE_LANGUAGE:CXX>:${vcgpu_warnings};-ffunction-sections;-fdata-sections>")

if(VCGPU_FUZZ)
  # Coverage feedback everywhere; the driver is linked by fuzz/ alone.
  target_compile_options(vcgpu_options INTERFACE -fsanitize=fuzzer-no-link)
  target_link_options(vcgpu_options INTERFACE -fsanitize=fuzzer-no-link)
endif()
if(VCGPU_SANITIZE)
  set(sanitize -fsanitize=${VCGPU_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_compile_options(vcgpu_options INTERFACE "$<$<COMPILE_LANGUAGE:CXX>:${sanitize}>")
  target_link_options(vcgpu_options INTERFACE ${sanitize})
endif()
if(VCGPU_COVERAGE)
  target_compile_options(vcgpu_options INTERFACE "$<$<COMPILE_LANGUAGE:CXX>:--coverage>")
  target_link_options(vcgpu_options INTERFACE --coverage)
endif()

if(CMAKE_BUILD_TYPE STREQUAL "Debug")
  target_compile_definitions(vcgpu_options INTERFACE _GLIBCXX_ASSERTIONS)
elseif(NOT VCGPU_SANITIZE)
  # Hardening that costs nothing at start-up. Debian's own flags may have set FORTIFY already.
  target_compile_options(vcgpu_options INTERFACE
    "$<$<COMPILE_LANGUAGE:CXX>:-U_FORTIFY_SOURCE;-D_FORTIFY_SOURCE=2;-fstack-protector-strong>")
  check_cxx_compiler_flag(-fcf-protection VCGPU_HAS_CF_PROTECTION)
  if(VCGPU_HAS_CF_PROTECTION)
    target_compile_options(vcgpu_options INTERFACE
      "$<$<COMPILE_LANGUAGE:CXX>:-fcf-protection>")
  endif()
endif()

add_library(vcgpu_fast_start INTERFACE)
target_link_options(vcgpu_fast_start INTERFACE
  LINKER:-O1 LINKER:--as-needed LINKER:--gc-sections LINKER:-z,relro LINKER:-z,noexecstack)
if(VCGPU_STATIC_RUNTIME)
  target_link_options(vcgpu_fast_start INTERFACE -static-libstdc++ -static-libgcc)
endif()

include(CheckPIESupported)
check_pie_supported(LANGUAGES CXX)
