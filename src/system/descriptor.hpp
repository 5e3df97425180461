// A file descriptor that is closed with the object that holds it.
#pragma once

#include <unistd.h>

#include <utility>

namespace assay::system {

class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() { reset(); }
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    if (this != &other) {
      reset();
      number_ = std::exchange(other.number_, -1);
    }
    return *this;
  }
  int get() const { return number_; }
  explicit operator bool() const { return number_ >= 0; }
  // The caller closes it.
  int release() { return std::exchange(number_, -1); }
  void reset() {
    if (number_ >= 0) ::close(std::exchange(number_, -1));
  }

 private:
  int number_ = -1;
};

}  // namespace assay::system
