# find_package(assay), then target_link_libraries(program assay::assay): the shared library and the headers.
include(${CMAKE_CURRENT_LIST_DIR}/assayTargets.cmake)
