# `cmake --install build/release`: the program with its database modules, completions and manual, the
# library with its headers and descriptions for pkg-config and CMake, the Python module.

install(TARGETS assay_archive assay)
if(ASSAY_SHARED)
  install(TARGETS assay_shared EXPORT assay_targets)
  include(CMakePackageConfigHelpers)
  write_basic_package_version_file(assayConfigVersion.cmake COMPATIBILITY SameMinorVersion)
  install(EXPORT assay_targets FILE assayTargets.cmake NAMESPACE assay:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/assay)
  install(FILES cmake/assayConfig.cmake ${CMAKE_CURRENT_BINARY_DIR}/assayConfigVersion.cmake
          DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/assay)
endif()
# The objects of an optimised build hold the compiler's own notes beside the code, for optimising the whole program when it is
# linked. Whoever links a library with such notes pays for that as well, even for a small C program; what is installed is the
# code alone.
if(ASSAY_LTO AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  install(CODE "execute_process(
    COMMAND \"${CMAKE_OBJCOPY}\" --wildcard --remove-section=.gnu.lto_* --remove-section=.gnu.debuglto_*
            --strip-symbol=__gnu_lto_v1 --strip-symbol=__gnu_lto_slim
            \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_LIBDIR}/$<TARGET_FILE_NAME:assay_archive>\"
    COMMAND_ERROR_IS_FATAL ANY)")
endif()
install(TARGETS ${product_modules} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/assay)
install(DIRECTORY include/assay DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
# The file finds its prefix by its own place, so that `cmake --install --prefix` needs no new configuration.
file(RELATIVE_PATH up_to_prefix "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
configure_file(cmake/assay.pc.in assay.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/assay.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

foreach(completion bash:bash-completion/completions/assay zsh:zsh/site-functions/_assay
                   fish:fish/vendor_completions.d/assay.fish)
  string(REPLACE ":" ";" completion ${completion})
  list(GET completion 0 shell)
  list(GET completion 1 place)
  set(script ${CMAKE_CURRENT_BINARY_DIR}/completion/${place})
  get_filename_component(folder ${script} DIRECTORY)
  file(MAKE_DIRECTORY ${folder})
  add_custom_command(OUTPUT ${script} COMMAND assay completion ${shell} > ${script} DEPENDS assay VERBATIM)
  list(APPEND completion_scripts ${script})
  get_filename_component(destination ${place} DIRECTORY)
  install(FILES ${script} DESTINATION ${CMAKE_INSTALL_DATADIR}/${destination})
endforeach()
add_custom_target(completion ALL DEPENDS ${completion_scripts})

# One page for each command; which there are only the program knows.
set(manual ${CMAKE_CURRENT_BINARY_DIR}/manual)
add_custom_command(OUTPUT ${manual}/assay.1
  COMMAND ${CMAKE_COMMAND} -E make_directory ${manual}
  COMMAND sh -c "for page in $($<TARGET_FILE:assay> manual --list); do $<TARGET_FILE:assay> manual $page > ${manual}/$page.1 || exit; done"
  DEPENDS assay VERBATIM)
add_custom_target(manual ALL DEPENDS ${manual}/assay.1)
install(DIRECTORY ${manual}/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)

install(DIRECTORY python/assay DESTINATION lib/python3/dist-packages
        FILES_MATCHING PATTERN "*.py" PATTERN "py.typed" PATTERN "__pycache__" EXCLUDE)

# What is installed, without tests and benchmarks.
add_custom_target(installed DEPENDS assay assay_archive completion manual)
if(ASSAY_SHARED)
  add_dependencies(installed assay_shared)
endif()
if(TARGET assay-php)
  add_dependencies(installed assay-php)
endif()
if(TARGET assay_record)
  add_dependencies(installed assay_record)
endif()
