#include "rerun/outer_files.hpp"

#include <string>

#include "common/code_tree.hpp"
#include "common/php.hpp"
#include "common/world.hpp"

namespace assay::php {

namespace {

const php_stream_wrapper_ops* plain = nullptr;
php_stream_wrapper_ops shut;

// The script itself is found before the program runs.
void refuse_outside(const char* path) {
  if (world == nullptr || EG(current_execute_data) == nullptr || in_code_tree(path)) return;
  world->cannot_repeat("looks into the file " + std::string(path) +
                       ", which is outside of the program's folder");
}

php_stream* open(php_stream_wrapper* wrapper, const char* path, const char* mode, int options,
                 zend_string** opened, php_stream_context* context STREAMS_DC) {
  refuse_outside(path);
  return plain->stream_opener(wrapper, path, mode, options, opened, context STREAMS_REL_CC);
}

php_stream* open_folder(php_stream_wrapper* wrapper, const char* path, const char* mode, int options,
                        zend_string** opened, php_stream_context* context STREAMS_DC) {
  refuse_outside(path);
  return plain->dir_opener(wrapper, path, mode, options, opened, context STREAMS_REL_CC);
}

int stat(php_stream_wrapper* wrapper, const char* path, int flags, php_stream_statbuf* out,
         php_stream_context* context) {
  refuse_outside(path);
  return plain->url_stat(wrapper, path, flags, out, context);
}

php_stream* connect(const char* protocol, std::size_t, const char* name, std::size_t size, const char*, int,
                    int, timeval*, php_stream_context* STREAMS_DC) {
  if (world != nullptr)
    world->cannot_repeat("opens a connection to " + std::string(protocol) + "://" + std::string(name, size));
  return nullptr;
}

}  // namespace

void shut_outer_files() {
  plain = php_plain_files_wrapper.wops;
  shut = *plain;
  shut.stream_opener = open;
  shut.dir_opener = open_folder;
  shut.url_stat = stat;
  php_plain_files_wrapper.wops = &shut;
  for (const char* protocol :
       {"tcp", "udp", "unix", "udg", "ssl", "tls", "tlsv1.0", "tlsv1.1", "tlsv1.2", "tlsv1.3"})
    php_stream_xport_register(protocol, connect);
}

}  // namespace assay::php
