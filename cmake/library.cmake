# libassay as programs meet it: the interface and all that it stands on, in one archive and in one shared library that exports the
# names of assay.h and no others.

set(library_parts assay_interface assay_watching assay_library)
list(TRANSFORM library_parts REPLACE "(.+)" "$<TARGET_OBJECTS:\\1>" OUTPUT_VARIABLE library_objects)
set(library_needs Threads::Threads fmt::fmt simdjson::simdjson PkgConfig::zstd PkgConfig::xxhash PkgConfig::zlib ${CADICAL_LIBRARY})

if(ASSAY_LTO AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  foreach(part ${library_parts})
    target_compile_options(${part} PRIVATE -ffat-lto-objects)  # what is installed takes the plain half
  endforeach()
endif()

add_library(assay_archive STATIC ${library_objects})
set_target_properties(assay_archive PROPERTIES OUTPUT_NAME assay LINKER_LANGUAGE CXX)
target_include_directories(assay_archive INTERFACE $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>)
target_link_libraries(assay_archive INTERFACE ${library_needs})

if(NOT ASSAY_SHARED)
  return()
endif()

# One compilation for the program, the archive and the shared library. Nobody replaces a function of it at run time, so that the
# compiler may inline as it does for a program.
foreach(part ${library_parts})
  set_target_properties(${part} PROPERTIES POSITION_INDEPENDENT_CODE ON CXX_VISIBILITY_PRESET hidden)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(${part} PRIVATE -fno-semantic-interposition)
  endif()
endforeach()

add_library(assay_shared SHARED ${library_objects})
set_target_properties(assay_shared PROPERTIES OUTPUT_NAME assay EXPORT_NAME assay LINKER_LANGUAGE CXX
  VERSION ${PROJECT_VERSION} SOVERSION 0 INTERPROCEDURAL_OPTIMIZATION OFF
  LINK_DEPENDS ${PROJECT_SOURCE_DIR}/cmake/exported.map)
target_link_options(assay_shared PRIVATE -Wl,--version-script=${PROJECT_SOURCE_DIR}/cmake/exported.map
  -Wl,--no-undefined -Wl,--gc-sections -Wl,--as-needed)
if(ASSAY_LTO AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  target_link_options(assay_shared PRIVATE -fno-lto)  # it is linked in seconds
endif()
target_include_directories(assay_shared INTERFACE
  $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
target_link_libraries(assay_shared PRIVATE ${library_needs})
