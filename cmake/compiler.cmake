# How every target of Assay is compiled: warnings are errors, the baseline is any x86-64 of the last ten years.

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()

# RelWithDebInfo is what tests and sanitizers run: fast enough for many cases, and with its assertions.
string(REPLACE "-DNDEBUG" "" CMAKE_C_FLAGS_RELWITHDEBINFO "${CMAKE_C_FLAGS_RELWITHDEBINFO}")
string(REPLACE "-DNDEBUG" "" CMAKE_CXX_FLAGS_RELWITHDEBINFO "${CMAKE_CXX_FLAGS_RELWITHDEBINFO}")
# Lines in a stack trace are all that is needed of its debug information; the rest takes a quarter of the compiler's time. A
# debugger wants the debug preset. Instrumented code takes long to compile, so it is optimised less.
foreach(flags CMAKE_C_FLAGS_RELWITHDEBINFO CMAKE_CXX_FLAGS_RELWITHDEBINFO)
  if(ASSAY_SANITIZE)
    string(REPLACE "-O2 -g" "-O1 -g1" ${flags} "${${flags}}")
  else()
    string(REPLACE "-O2 -g" "-O2 -g1" ${flags} "${${flags}}")
  endif()
endforeach()

# ccache knows files by their place below this folder, so that a fresh clone elsewhere finds what this one compiled. A file that
# starts with a precompiled header is only cached by a ccache that is told so.
find_program(CCACHE ccache)
if(CCACHE)
  set(launcher ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=1
      CCACHE_SLOPPINESS=pch_defines,time_macros ${CCACHE})
  set(CMAKE_C_COMPILER_LAUNCHER ${launcher})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${launcher})
endif()

# Headers of others that take most of a compiler's time for a small file, and what of the standard library most files use. No
# header of Assay: what changes often would compile everything again. The clang preset goes without, so a file that
# forgets an include is found by lint.
function(precompile target)
  if(NOT ASSAY_PRECOMPILE)
    return()
  endif()
  set(headers algorithm array cstdint filesystem functional map memory optional span string string_view unordered_map utility vector)
  list(APPEND headers ${ARGN})
  list(TRANSFORM headers REPLACE "(.+)" "<\\1>")
  list(TRANSFORM headers REPLACE "(.+)" "$<$<COMPILE_LANGUAGE:CXX>:\\1>")
  target_precompile_headers(${target} PRIVATE ${headers})
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # GCC 12 forgets that these are the system's headers, and tells its false alarms about std::string (bug 105651) too.
    target_compile_options(${target} PRIVATE -Wno-array-bounds -Wno-stringop-overflow -Wno-stringop-overread)
  endif()
  if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    # The same header twice is the same file twice, for ccache's sake.
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:SHELL:-Xclang -fno-pch-timestamp>)
  endif()
endfunction()

add_library(assay_warnings INTERFACE)
target_compile_options(assay_warnings INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow $<$<COMPILE_LANGUAGE:CXX>:-Wconversion>)
# Instrumented code makes GCC see uninitialised values in the standard library's headers; all other builds are strict.
if(NOT (ASSAY_SANITIZE AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU"))
  target_compile_options(assay_warnings INTERFACE -Werror)
endif()
if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  target_compile_options(assay_warnings INTERFACE -Wthread-safety)  # see src/system/thread_safety.hpp
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  target_compile_options(assay_warnings INTERFACE -Wno-restrict)  # false alarms on std::string, GCC bug 105651
endif()

if(CMAKE_SYSTEM_PROCESSOR STREQUAL "x86_64")
  add_compile_options(-march=x86-64-v2)
endif()

if(ASSAY_LTO)
  include(CheckIPOSupported)
  check_ipo_supported()
  set(CMAKE_INTERPROCEDURAL_OPTIMIZATION ON)
endif()

if(ASSAY_SANITIZE)
  add_compile_options(-fsanitize=${ASSAY_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${ASSAY_SANITIZE})
endif()

if(ASSAY_COVERAGE)
  add_compile_options(--coverage)
  add_link_options(--coverage)
endif()
