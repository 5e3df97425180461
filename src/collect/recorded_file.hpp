// Sends a recording that is complete, or what is missing of it: what an earlier process sent of the same file
// is not sent again, since a recording is one collector that is named after its first block (delivery.hpp).
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "collect/sender.hpp"
#include "system/address.hpp"

namespace assay::collect {

class RecordedFile {
 public:
  // Looks at all of it first: half a history shall not be sent and then found to be damaged. Throws InputError.
  explicit RecordedFile(std::string path);

  // Else the recording is cut off, and this is what there is of it.
  bool ended() const { return ended_; }

  struct Sent {
    std::uint64_t transactions = 0;
    std::uint64_t already = 0;  // transactions that the watcher had
  };
  // Two steps, since a watcher that cannot be reached is another mistake than one that is lost. Both throw
  // InputError; connect() also where there is nothing to send. REQUIRES: connect() before send().
  void connect(const system::Address& watcher, const SenderOptions& options);
  Sent send();
  // Fragments that are safe with the watcher.
  std::uint64_t acknowledged() const { return sender_ ? sender_->acknowledged() : 0; }

 private:
  void require_same(const std::string& chain, const std::string& held, std::uint64_t fragments);

  std::string path_;
  std::string collector_;
  bool ended_ = false;
  std::optional<Sender> sender_;
};

}  // namespace assay::collect
