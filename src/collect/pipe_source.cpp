#include "collect/pipe_source.hpp"

#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "system/input_error.hpp"

namespace assay::collect {

PipeSource::PipeSource(int descriptor, std::string name, const Progress& progress)
    : descriptor_(descriptor),
      name_(std::move(name)),
      stream_(name_),
      sequence_(progress.next),
      done_(progress.done) {
  // Sessions go on, the text begins anew: it may have a header again.
  if (progress.next > 0) stream_ = HistoryStream::restore(name_, progress.cursor).continued();
}

void PipeSource::wake(std::vector<pollfd>& into) const {
  if (!done_) into.push_back({descriptor_, POLLIN, 0});
}

void PipeSource::take(Batch& into) {
  while (into.has_room()) {
    auto part = stream_.next();
    if (!part) return;
    into.add({name_, sequence_++, false, stream_.state(), std::move(part->block), std::move(part->history)});
  }
}

void PipeSource::collect(Batch& into) {
  if (done_) return;
  take(into);
  std::array<char, std::size_t{1} << 16> piece;
  while (into.has_room()) {
    pollfd ready{descriptor_, POLLIN, 0};
    if (::poll(&ready, 1, 0) <= 0) return;
    const ssize_t n = ::read(descriptor_, piece.data(), piece.size());
    if (n < 0 && (errno == EINTR || errno == EAGAIN)) return;
    if (n < 0) throw InputError(name_, "", std::string("cannot be read: ") + std::strerror(errno));
    if (n > 0) {
      stream_.push({piece.data(), static_cast<std::size_t>(n)});
      take(into);
      continue;
    }
    if (!stream_.begun()) throw InputError(name_, "", "the input is empty");
    const bool whole = stream_.may_end();
    stream_.no_more_bytes();
    while (auto part = stream_.next())
      into.add(
          {name_, sequence_++, false, stream_.state(), std::move(part->block), std::move(part->history)});
    if (!whole) throw InputError(name_, "", "the input was cut off: it ends before its end mark");
    into.add({name_, sequence_++, true, stream_.state(), {}, {}});
    done_ = true;
    return;
  }
}

}  // namespace assay::collect
