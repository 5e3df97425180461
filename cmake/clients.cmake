# One module per database client: a shared object that the program opens when that database is first recorded on
# (src/database/product.hpp), and the only files that see the client's headers.

# What the modules share with the library, compiled again as code that may stand at any address.
add_library(assay_product_parts OBJECT src/level/level.cpp src/database/row.cpp src/database/url.cpp)
set_target_properties(assay_product_parts PROPERTIES POSITION_INDEPENDENT_CODE ON CXX_VISIBILITY_PRESET hidden)
target_include_directories(assay_product_parts PRIVATE src)
target_link_libraries(assay_product_parts PRIVATE fmt::fmt assay_warnings)

foreach(product sqlite:sqlite3 postgres:libpq mariadb:libmariadb redis:hiredis rocksdb:rocksdb)
  string(REPLACE ":" ";" product ${product})
  list(GET product 0 name)
  list(GET product 1 client)
  pkg_check_modules(${name} ${client})
  if(NOT ${name}_FOUND)
    message(STATUS "${client} is not here: this build cannot record on ${name}")
    continue()
  endif()
  file(GLOB sources CONFIGURE_DEPENDS src/database/client/${name}/*.cpp)
  add_library(assay_${name} MODULE ${sources} $<TARGET_OBJECTS:assay_product_parts>)
  set_target_properties(assay_${name} PROPERTIES PREFIX "" OUTPUT_NAME ${name} CXX_VISIBILITY_PRESET hidden
    LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/${CMAKE_INSTALL_LIBDIR}/assay)
  target_include_directories(assay_${name} PRIVATE src)
  target_include_directories(assay_${name} SYSTEM PRIVATE ${${name}_INCLUDE_DIRS})
  target_link_libraries(assay_${name} PRIVATE ${${name}_LINK_LIBRARIES} fmt::fmt assay_warnings)
  if(NOT ASSAY_SANITIZE)  # whose runtime the program has
    target_link_options(assay_${name} PRIVATE -Wl,--no-undefined)
  endif()
  list(APPEND product_modules assay_${name})
endforeach()
add_custom_target(assay_products DEPENDS ${product_modules})
