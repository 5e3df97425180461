// A history as Elle reads it: for each transaction an invocation, which does not know what it will read, and a
// completion, in the order of the clock. Where two things happen at the same moment, beginnings stand before ends,
// so that no order is claimed that the clock does not show.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <vector>

#include "format/jepsen/elle_edn.hpp"
#include "format/naturals.hpp"
#include "system/output_file.hpp"

namespace assay::format {

namespace {

using Line = fmt::memory_buffer;

void put(Line& line, std::string_view text) {
  line.append(text.data(), text.data() + text.size());
}

void put_text(Line& line, std::string_view text) {
  put(line, "\"");
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      fmt::format_to(std::back_inserter(line), "\\{}", c);
    } else if (static_cast<unsigned char>(c) < 0x20) {
      fmt::format_to(std::back_inserter(line), "\\u{:04x}", static_cast<unsigned>(c));
    } else {
      line.push_back(c);
    }
  }
  put(line, "\"");
}

class EdnWriter {
 public:
  EdnWriter(const History& history, const Target& target)
      : h_(history), target_(target), processes_(session_numbers(history)) {}

  void write(system::OutputFile& out) {
    for (const Event& event : events()) {
      line_.clear();
      entry(event);
      out.put({line_.data(), line_.size()});
    }
  }

 private:
  struct Event {
    Txn txn;
    bool completes = false;
    std::int64_t time = 0;
  };

  // By time, each session in its own order.
  std::vector<Event> events() const {
    std::vector<Event> all;
    for (std::uint32_t s = 0; s < h_.sessions(); ++s) {
      std::int64_t last = INT64_MIN;
      for (const Txn t : h_.transactions_of(Session{s})) {
        last = std::max(last, h_.start(t).value_or(last));
        all.push_back({t, false, last});
        last = std::max(last, h_.end(t).value_or(last));
        all.push_back({t, true, last});
      }
    }
    std::vector<std::size_t> place(all.size());
    for (std::size_t i = 0; i < all.size(); ++i) place[i] = i;
    // Of two sessions the beginnings come first; events of one session stay as they are.
    std::stable_sort(place.begin(), place.end(),
                     [&](std::size_t a, std::size_t b) { return all[a].time < all[b].time; });
    std::vector<Event> sorted;
    for (std::size_t first = 0; first < place.size();) {
      std::size_t end = first;
      while (end < place.size() && all[place[end]].time == all[place[first]].time) ++end;
      const auto begins_at_once = [&](std::size_t at) {
        const bool is_first =
            at == first || h_.session_of(all[place[at - 1]].txn) != h_.session_of(all[place[at]].txn);
        return is_first && !all[place[at]].completes;
      };
      for (std::size_t at = first; at < end; ++at) {
        if (begins_at_once(at)) sorted.push_back(all[place[at]]);
      }
      for (std::size_t at = first; at < end; ++at) {
        if (!begins_at_once(at)) sorted.push_back(all[place[at]]);
      }
      first = end;
    }
    return sorted;
  }

  void entry(const Event& event) {
    const Status status = h_.status(event.txn);
    const std::string_view type = !event.completes              ? "invoke"
                                  : status == Status::committed ? "ok"
                                  : status == Status::aborted   ? "fail"
                                                                : "info";
    fmt::format_to(std::back_inserter(line_), "{{:index {}, :type :{}, :process {}, :f :txn, ", index_++,
                   type, processes_[index(h_.session_of(event.txn))]);
    // Nobody knows when a transaction of unknown fate ended.
    const auto end = status == Status::unknown ? h_.start(event.txn) : h_.end(event.txn);
    fmt::format_to(std::back_inserter(line_), ":time {}, ",
                   (event.completes ? end : h_.start(event.txn)).value());
    put(line_, ":value [");
    bool first = true;
    for (const Op op : h_.operations_of(event.txn)) {
      if (!first) put(line_, " ");
      first = false;
      micro_op(op, event.completes && status == Status::committed);
    }
    put(line_, "]}\n");
  }

  void micro_op(Op op, bool knows) {
    switch (h_.kind(op)) {
      case OpKind::read:
        micro_op(":r", h_.key(op));
        if (knows && !h_.is_initial(h_.version(op))) {
          atom(h_.value(h_.version(op)));
        } else {
          put(line_, "nil");
        }
        break;
      case OpKind::list_read:
        micro_op(":r", h_.list(op).key);
        if (knows) {
          list(h_.list(op).elements);
        } else {
          put(line_, "nil");
        }
        break;
      case OpKind::write:
      case OpKind::append:
        micro_op(h_.kind(op) == OpKind::write ? ":w" : ":append", h_.key(op));
        atom(h_.value(h_.version(op)));
        break;
      default:
        target_.refuse("operations other than read, write and append");
    }
    put(line_, "]");
  }
  void micro_op(std::string_view what, Key key) {
    fmt::format_to(std::back_inserter(line_), "[{} ", what);
    atom(h_.name(key));
    put(line_, " ");
  }
  void list(std::span<const Version> elements) {
    put(line_, "[");
    for (std::size_t i = 0; i < elements.size(); ++i) {
      if (i != 0) put(line_, " ");
      atom(h_.value(elements[i]));
    }
    put(line_, "]");
  }
  void atom(const Atom& value) {
    if (value.kind == AtomKind::text) {
      put_text(line_, value.text);
    } else if (value.kind == AtomKind::integer) {
      put(line_, to_string(value));
    } else {
      target_.refuse("a key or value that is neither a text nor an integer of 64 bits");
    }
  }

  const History& h_;
  const Target& target_;
  const std::vector<std::uint64_t> processes_;
  std::uint64_t index_ = 0;
  Line line_;
};

}  // namespace

void write_elle_edn(const History& history, const std::filesystem::path& path) {
  const Target target{path.string(), "edn"};
  if (history.operations() == 0) target.refuse("a history without operations");
  for (const Txn t : history.all_transactions()) {
    // To whoever reads it the order of the entries is that of the clock.
    if (!history.start(t) || (!history.end(t) && history.status(t) != Status::unknown))
      target.refuse("a transaction without the times of its start and end");
  }
  system::OutputFile out(path);
  EdnWriter(history, target).write(out);
  out.close();
}

}  // namespace assay::format
