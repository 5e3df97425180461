#include "rerun/pipe.hpp"

#include <unistd.h>

#include <array>
#include <cerrno>

namespace assay::php {

// An auditor that is gone needs nothing more.
void Pipe::write_message(wire::FromWorker kind, std::string_view body) {
  const std::string message = wire::message(static_cast<std::uint8_t>(kind), body);
  for (std::size_t done = 0; done < message.size();) {
    const ssize_t written = ::write(out_, message.data() + done, message.size() - done);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) _exit(1);
    done += static_cast<std::size_t>(written);
  }
}

void Pipe::send(wire::FromWorker kind, std::string_view body) {
  if (lane_ != said_) {
    std::string number;
    wire::put_natural(number, lane_);
    write_message(wire::FromWorker::lane, number);
    said_ = lane_;
  }
  write_message(kind, body);
}

bool Pipe::read_all(char* out, std::size_t size) {
  while (size > 0) {
    const ssize_t got = ::read(in_, out, size);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    out += got;
    size -= static_cast<std::size_t>(got);
  }
  return true;
}

std::optional<Pipe::Message> Pipe::receive() {
  std::array<char, wire::kMessageHead> head{};
  if (!read_all(head.data(), head.size())) return std::nullopt;
  const std::size_t size = wire::load_u32(head.data());
  if (size > 2 * wire::kLargestFrame) return std::nullopt;
  body_.resize(size);
  if (!read_all(body_.data(), size)) return std::nullopt;
  return Message{static_cast<wire::ToWorker>(head[4]), body_};
}

std::optional<std::string_view> Pipe::receive(wire::ToWorker kind) {
  const auto message = receive();
  if (!message || message->kind != kind) return std::nullopt;
  return message->body;
}

}  // namespace assay::php
