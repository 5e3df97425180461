# The audit is a library of its own: it needs SQLite itself, which the installed library does not.
pkg_check_modules(sqlite_for_audit REQUIRED IMPORTED_TARGET sqlite3)

# Inside the program where that is possible: a shared library would cost every start of it, also those that audit nothing.
find_library(SQLITE_ARCHIVE libsqlite3.a)
if(SQLITE_ARCHIVE)
  set(sqlite_to_link ${SQLITE_ARCHIVE} m ${CMAKE_DL_LIBS})
else()
  set(sqlite_to_link PkgConfig::sqlite_for_audit)
endif()

file(GLOB_RECURSE audit_sources CONFIGURE_DEPENDS src/audit/*.cpp)
set(audit_page_source ${PROJECT_BINARY_DIR}/generated/audit_page_source.cpp)
add_custom_command(
  OUTPUT ${audit_page_source}
  COMMAND ${CMAKE_COMMAND} -DOUTPUT=${audit_page_source} -DHEADER=audit/tell/page_template.hpp -DNAMESPACE=assay::audit
          -DFILES=kAuditPage=${PROJECT_SOURCE_DIR}/web/audit.html -P ${PROJECT_SOURCE_DIR}/cmake/embed.cmake
  DEPENDS web/audit.html cmake/embed.cmake
  VERBATIM)
add_library(assay_audit STATIC ${audit_sources} ${audit_page_source})
target_include_directories(assay_audit PUBLIC src)
target_include_directories(assay_audit SYSTEM PUBLIC ${sqlite_for_audit_INCLUDE_DIRS})
precompile(assay_audit fmt/format.h)
target_link_libraries(assay_audit PUBLIC assay_library PkgConfig::zstd PkgConfig::xxhash ${sqlite_to_link}
                      PRIVATE nlohmann_json::nlohmann_json assay_warnings)
target_compile_definitions(assay_audit PRIVATE
  ASSAY_MODULE_FOLDER="${CMAKE_INSTALL_LIBDIR}/assay" ASSAY_DATA_FOLDER="${CMAKE_INSTALL_DATADIR}/assay")
# What `assay audit run` tries an audit on, in the build tree and installed.
file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/${CMAKE_INSTALL_DATADIR}/assay)
foreach(application forum mediawiki)
  file(CREATE_LINK ${PROJECT_SOURCE_DIR}/tests/apps/${application}
       ${PROJECT_BINARY_DIR}/${CMAKE_INSTALL_DATADIR}/assay/${application} SYMBOLIC)
  install(DIRECTORY tests/apps/${application} DESTINATION ${CMAKE_INSTALL_DATADIR}/assay USE_SOURCE_PERMISSIONS)
endforeach()

if(ASSAY_FUZZ)
  target_compile_options(assay_audit PRIVATE -fsanitize=fuzzer-no-link)
endif()
