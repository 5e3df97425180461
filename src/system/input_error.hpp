// The one error a bad input raises: which file, where in it, what was expected and what stood there. It
// stands in `assay` itself, not in `assay::system`: every room throws it, and it says nothing of the system.
#pragma once

#include <stdexcept>
#include <string>

namespace assay {

class InputError : public std::runtime_error {
 public:
  // `position` is for a person: "line 12", "byte 1042"; may be empty.
  InputError(std::string path, std::string position, std::string message)
      : std::runtime_error(path + (position.empty() ? "" : ": " + position) + ": " + message),
        path_(std::move(path)),
        position_(std::move(position)),
        message_(std::move(message)) {}

  const std::string& path() const { return path_; }
  const std::string& position() const { return position_; }
  const std::string& message() const { return message_; }

 private:
  std::string path_, position_, message_;
};

}  // namespace assay
