#include "common/blind_stream.hpp"

#include "common/world.hpp"

namespace assay::php {

namespace {

void refuse(const php_stream* stream) {
  if (world == nullptr) return;
  const std::string path = stream->orig_path != nullptr ? stream->orig_path : "";
  world->cannot_repeat("looks into the file " + path + ", which is outside of the program's folder");
}

ssize_t write(php_stream*, const char*, std::size_t size) {
  return static_cast<ssize_t>(size);
}

ssize_t read(php_stream* stream, char*, std::size_t) {
  refuse(stream);
  return -1;
}

int close(php_stream*, int) {
  return 0;
}

int flush(php_stream*) {
  return 0;
}

int seek(php_stream* stream, zend_off_t, int, zend_off_t*) {
  refuse(stream);
  return -1;
}

int stat(php_stream* stream, php_stream_statbuf*) {
  refuse(stream);
  return -1;
}

int set_option(php_stream*, int option, int, void*) {
  return option == PHP_STREAM_OPTION_TRUNCATE_API || option == PHP_STREAM_OPTION_SYNC_API
             ? PHP_STREAM_OPTION_RETURN_OK
             : PHP_STREAM_OPTION_RETURN_NOTIMPL;
}

const php_stream_ops operations = {write, read, close, flush, "STDIO", seek, nullptr, stat, set_option};

}  // namespace

php_stream* blind_stream(const char* mode) {
  return php_stream_alloc(&operations, nullptr, nullptr, mode);
}

}  // namespace assay::php
