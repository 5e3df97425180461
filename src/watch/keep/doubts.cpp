#include "watch/keep/doubts.hpp"

#include <algorithm>
#include <sstream>

namespace assay::watch {

namespace {

// A hostile collector can raise many; the first ones say enough.
constexpr std::size_t kMost = 100;
constexpr const char* kFile = "doubts";

// Names and reasons are of strangers: as parts of a line.
std::string on_a_line(std::string_view text) {
  std::string line(text);
  std::replace_if(
      line.begin(), line.end(), [](char c) { return static_cast<unsigned char>(c) < ' '; }, ' ');
  return line;
}

}  // namespace

Doubts::Doubts(system::Disk& disk) : disk_(&disk) {
  std::istringstream in(disk.read(kFile));
  for (std::string line; std::getline(in, line);) {
    const std::size_t tab = std::min(line.find('\t'), line.size());
    known_.push_back({line.substr(std::min(tab + 1, line.size())), line.substr(0, tab)});
  }
}

void Doubts::replace(std::vector<collect::Doubt> doubts) {
  std::string text;
  for (const collect::Doubt& one : doubts) text += one.collector + "\t" + one.why + "\n";
  if (disk_ != nullptr) disk_->replace(kFile, text);
  known_ = std::move(doubts);
}

void Doubts::add(const collect::Doubt& doubt) {
  const collect::Doubt line{on_a_line(doubt.why), on_a_line(doubt.collector)};
  const auto same = [&](const collect::Doubt& one) {
    return one.collector == line.collector && (!line.collector.empty() || one.why == line.why);
  };
  if (known_.size() >= kMost || std::any_of(known_.begin(), known_.end(), same)) return;
  std::vector<collect::Doubt> more = known_;
  more.push_back(line);
  replace(std::move(more));
}

void Doubts::settle(std::string_view collector) {
  const std::string name = on_a_line(collector);
  std::vector<collect::Doubt> rest = known_;
  std::erase_if(rest, [&](const collect::Doubt& one) { return one.collector == name; });
  if (rest.size() != known_.size()) replace(std::move(rest));
}

}  // namespace assay::watch
