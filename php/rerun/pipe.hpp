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
  // What is sent from here on is about this request of a group.
  void speak_of(unsigned lane) { lane_ = lane; }
  void begin_group() { said_ = ~0U; }
  // The body of the next message, which must be of this kind; nothing at the end. It lives until the next
  // call.
  std::optional<std::string_view> receive(wire::ToWorker kind);
  struct Message {
    wire::ToWorker kind;
    std::string_view body;
  };
  std::optional<Message> receive();

 private:
  bool read_all(char* out, std::size_t size);
  void write_message(wire::FromWorker kind, std::string_view body);

  int in_;
  int out_;
  std::string body_;
  unsigned lane_ = 0, said_ = 0;  // the auditor was told of lane 0 by starting a single request
};

}  // namespace assay::php
