// Reads a history from a pipe until its writer closes it. What was read cannot be read again, so a watch that
// was stopped goes on with what the pipe gives next.
#pragma once

#include <string>

#include "collect/history_stream.hpp"
#include "collect/source.hpp"

namespace assay::collect {

class PipeSource : public Source {
 public:
  // Reads from `descriptor`, which stays open: it belongs to somebody else.
  PipeSource(int descriptor, std::string name, const Progress& progress);

  void collect(Batch& into) override;
  bool ended() const override { return done_; }
  bool at_rest() const override { return done_; }
  void wake(std::vector<pollfd>& into) const override;

 private:
  void take(Batch& into);

  int descriptor_;
  std::string name_;
  HistoryStream stream_;
  std::uint64_t sequence_;
  bool done_;
};

}  // namespace assay::collect
