// The worker's end of the two pipes to the auditor (audit/wire/worker.hpp).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "audit/wire/worker.hpp"

namespace assay::php {

namespace wire = audit::wire;

class Pipe {
 public:
  Pipe(int in, int out) : in_(in), out_(out) {}

  void send(wire::FromWorker kind, std::string_view body);
  // The body of the next message, which must be of this kind; nothing at the end. It lives until the next
  // call.
  std::optional<std::string_view> receive(wire::ToWorker kind);

 private:
  bool read_all(char* out, std::size_t size);

  int in_;
  int out_;
  std::string body_;
};

}  // namespace assay::php
