# How every target of Locus is compiled: C++20, warnings as errors, ccache when present.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # Without this, ccache does not cache files that use a precompiled header.
  set(CMAKE_CXX_COMPILER_LAUNCHER env CCACHE_SLOPPINESS=pch_defines,time_macros ${CCACHE_PROGRAM})
  add_compile_options($<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess>)
endif()

add_library(locus_compiler INTERFACE)
# No contraction: a product and a sum are fused only where the code calls MulAdd, so that the same source gives the
# same bits with every compiler.
target_compile_options(locus_compiler INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion -Wno-missing-field-initializers -Werror -ffp-contract=off
  $<$<CXX_COMPILER_ID:GNU>:-fdiagnostics-color=auto>
  # On Arm, g++ warns about every pair of doubles, because version 10 changed how they are passed. Not relevant here.
  $<$<CXX_COMPILER_ID:GNU>:-Wno-psabi>
  # g++ 12 and 13 wrongly report overlap (bug 105651) and copies past the end (bug 105329) in std::string, in fmt and
  # after bounds checks that they do not follow. The sanitizer build finds the real errors.
  $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict> $<$<CXX_COMPILER_ID:GNU>:-Wno-array-bounds>
  $<$<CXX_COMPILER_ID:GNU>:-Wno-stringop-overflow> $<$<CXX_COMPILER_ID:GNU>:-Wno-stringop-overread>)
if(LOCUS_SANITIZE)
  # A trap instead of a call with a description saves a sixth of the compile time. The address sanitizer reports where
  # the trap was.
  target_compile_options(locus_compiler INTERFACE
    -fsanitize=address,undefined -fsanitize-undefined-trap-on-error -fno-omit-frame-pointer
    # These checks take a quarter of the remaining compile time, two fifths for kernels. The address sanitizer finds
    # uses of null pointers and accesses outside of an object.
    -fno-sanitize=null,object-size,pointer-overflow,alignment
    # With the sanitizers, g++ wrongly calls an empty std::optional uninitialized. The other builds keep the warning.
    $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
  target_link_options(locus_compiler INTERFACE -fsanitize=address,undefined)
endif()

# Fuzzing: all sources get libFuzzer's coverage counters, and both sanitizers turn silent errors into crashes.
if(LOCUS_FUZZ)
  if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    message(FATAL_ERROR "LOCUS_FUZZ needs clang; configure with -DCMAKE_CXX_COMPILER=clang++")
  endif()
  target_compile_options(locus_compiler INTERFACE -fsanitize=fuzzer-no-link)
  if(LOCUS_FUZZ_SANITIZE)
    target_compile_options(locus_compiler INTERFACE
      -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
    target_link_options(locus_compiler INTERFACE -fsanitize=address,undefined)
  endif()
endif()

# Highway's headers, not its library (kernel/cpu/targets.h explains why), and its targets. HWY_COMPILE_ALL_ATTAINABLE
# adds the scalar target, so that tests can compare all targets on any machine.
# Excluded: SVE (not tested; such CPUs use NEON), SSSE3 and AVX3_DL (no gain for float arithmetic).
add_library(locus_simd INTERFACE)
target_include_directories(locus_simd SYSTEM INTERFACE
  $<TARGET_PROPERTY:PkgConfig::hwy,INTERFACE_INCLUDE_DIRECTORIES>)
target_compile_definitions(locus_simd INTERFACE HWY_COMPILE_ALL_ATTAINABLE)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "aarch64|arm64")
  target_compile_definitions(locus_simd INTERFACE
    "HWY_DISABLED_TARGETS=(HWY_SVE|HWY_SVE2|HWY_SVE_256|HWY_SVE2_128)")
elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  target_compile_definitions(locus_simd INTERFACE "HWY_DISABLED_TARGETS=(HWY_SSSE3|HWY_AVX3_DL)")
endif()
if(LOCUS_FUZZ)  # no fuzz target compares SIMD targets, and kernels are compiled once for each of them
  target_compile_definitions(locus_simd INTERFACE HWY_COMPILE_ONLY_STATIC)
endif()
