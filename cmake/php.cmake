# The audit's PHP side: an extension that records (php/record) and a worker program that runs requests again (php/rerun). Both are
# C++17 against the headers of Debian's PHP 8.2; without them they are left out, and so are their tests.

if(ASSAY_SANITIZE)
  return()  # PHP itself is not instrumented, and loads nothing that is
endif()
find_program(PHP_CONFIG php-config8.2)
if(NOT PHP_CONFIG OR NOT CMAKE_SYSTEM_PROCESSOR STREQUAL "x86_64")
  message(STATUS "PHP 8.2's headers are not here (php8.2-dev): the audit's recorder and worker are not built")
  return()
endif()
execute_process(COMMAND ${PHP_CONFIG} --include-dir OUTPUT_VARIABLE php_headers OUTPUT_STRIP_TRAILING_WHITESPACE)
pkg_check_modules(php_sqlite REQUIRED IMPORTED_TARGET sqlite3)

add_library(assay_php INTERFACE)
target_compile_features(assay_php INTERFACE cxx_std_17)
target_include_directories(assay_php INTERFACE php src)
target_include_directories(assay_php SYSTEM INTERFACE ${php_headers} ${php_headers}/main ${php_headers}/Zend ${php_headers}/TSRM)
target_link_libraries(assay_php INTERFACE PkgConfig::php_sqlite PkgConfig::zstd PkgConfig::xxhash assay_warnings)

file(GLOB php_common CONFIGURE_DEPENDS php/common/*.cpp)
file(GLOB php_record CONFIGURE_DEPENDS php/record/*.cpp)
add_library(assay_record MODULE ${php_common} ${php_record})
set_target_properties(assay_record PROPERTIES PREFIX "" CXX_STANDARD 17 CXX_EXTENSIONS ON CXX_VISIBILITY_PRESET hidden
  LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/${CMAKE_INSTALL_LIBDIR}/assay)
target_link_libraries(assay_record PRIVATE assay_php)
install(TARGETS assay_record LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/assay)

find_library(PHP_LIBRARY php8.2)
if(PHP_LIBRARY)
  file(GLOB php_rerun CONFIGURE_DEPENDS php/rerun/*.cpp php/superpose/*.cpp)
  add_executable(assay-php ${php_common} ${php_rerun})
  set_target_properties(assay-php PROPERTIES CXX_STANDARD 17 CXX_EXTENSIONS ON POSITION_INDEPENDENT_CODE ON
    RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/${CMAKE_INSTALL_LIBDIR}/assay)
  # Extensions of PHP find its symbols in the library; what of PDO we call is in one of them, loaded later.
  target_link_options(assay-php PRIVATE -Wl,--unresolved-symbols=ignore-in-object-files -rdynamic)
  target_link_libraries(assay-php PRIVATE assay_php ${PHP_LIBRARY})
  install(TARGETS assay-php RUNTIME DESTINATION ${CMAKE_INSTALL_LIBDIR}/assay)
else()
  message(STATUS "PHP 8.2 as a library is not here (libphp8.2-embed): the audit's worker and the tests are not built")
  return()
endif()
