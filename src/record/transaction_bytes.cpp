#include "record/transaction_bytes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cstring>
#include <memory>
#include <vector>

namespace assay::record {

namespace {

// A transaction: the header below, then its operations. The header is filled in at the end.
struct Header {
  std::uint64_t bytes = 0;  // with the header
  std::int64_t end = 0;
  std::int64_t shown_start = 0, shown_end = 0;
  std::uint32_t operations = 0;
  Status status = Status::aborted;
};

class Cursor {
 public:
  explicit Cursor(std::string_view bytes) : bytes_(bytes) {}

  std::uint64_t number() {
    std::uint64_t result = 0;
    for (unsigned shift = 0;; shift += 7) {
      const auto byte = static_cast<unsigned char>(bytes_.front());
      bytes_.remove_prefix(1);
      result |= std::uint64_t{byte & 0x7FU} << shift;
      if (byte < 0x80) return result;
    }
  }
  std::string_view text() {
    const std::size_t length = number();
    const std::string_view result = bytes_.substr(0, length);
    bytes_.remove_prefix(length);
    return result;
  }

 private:
  std::string_view bytes_;
};

// Values that the builder borrows while it is given an operation.
class Values {
 public:
  void forget() { texts_.clear(); }
  std::optional<Atom> next(Cursor& in) {
    const std::uint64_t number = in.number();
    const std::uint64_t version = number >> 1;
    if (version == 0) return std::nullopt;
    if ((number & 1) == 0) return Atom::natural(version);
    texts_.push_back(std::make_unique<std::string>(fmt::format("{}@{}", in.text(), version)));
    return Atom::string(*texts_.back());
  }

 private:
  std::vector<std::unique_ptr<std::string>> texts_;
};

void get_rows(Cursor& in, Values& values, std::vector<Row>& rows) {
  rows.clear();
  const std::uint64_t count = in.number();
  for (std::uint64_t i = 0; i < count; ++i) {
    const Atom key = Atom::string(in.text());
    rows.push_back({key, values.next(in)});
  }
}

void replay_operation(Cursor& in, Values& values, HistoryBuilder& build) {
  values.forget();
  const auto kind = static_cast<OpKind>(in.number());
  std::vector<Row> rows;
  switch (kind) {
    case OpKind::read: {
      const Atom key = Atom::string(in.text());
      if (const auto value = values.next(in)) {
        build.read(key, *value);
      } else {
        build.read_initial(key);
      }
      return;
    }
    case OpKind::write:
    case OpKind::insert:
    case OpKind::append: {
      const Atom key = Atom::string(in.text());
      const Atom value = *values.next(in);  // the recorder's versions are never 0
      if (kind == OpKind::write) build.write(key, value);
      if (kind == OpKind::insert) build.insert(key, value);
      if (kind == OpKind::append) build.append(key, value);
      return;
    }
    case OpKind::erase:
      build.erase(Atom::string(in.text()));
      return;
    case OpKind::list_read: {
      const Atom key = Atom::string(in.text());
      std::vector<Atom> elements(in.number());
      for (Atom& element : elements) element = Atom::natural(in.number());
      build.list_read(key, elements);
      return;
    }
    case OpKind::predicate_read: {
      const Atom predicate = Atom::string(in.text());
      get_rows(in, values, rows);
      build.predicate_read(predicate, rows);
      return;
    }
    case OpKind::range_read: {
      const Atom low = Atom::string(in.text());
      const Atom high = Atom::string(in.text());
      get_rows(in, values, rows);
      build.range_read(low, high, rows);
      return;
    }
    case OpKind::rows_read:
      return;  // no client sends one
  }
}

// A version as ShownVersion is put; the value that it may show is skipped.
std::uint64_t version_in(Cursor& in) {
  const std::uint64_t number = in.number();
  if ((number & 1) != 0) in.text();
  return number >> 1;
}

void look_at_operation(Cursor& in, SentTransaction& t) {
  const auto saw = [&](std::uint64_t version) {
    if (version != 0 && (t.read.empty() || t.read.back() != version)) t.read.push_back(version);
  };
  const auto saw_rows = [&] {
    for (std::uint64_t n = in.number(); n > 0; --n) {
      in.text();
      saw(version_in(in));
    }
  };
  const auto kind = static_cast<OpKind>(in.number());
  in.text();  // a key, a predicate, or the lower bound
  switch (kind) {
    case OpKind::read:
      return saw(version_in(in));
    case OpKind::write:
    case OpKind::insert:
    case OpKind::append:
      t.last_written = std::max(t.last_written, version_in(in));
      return;
    case OpKind::erase:
      return;
    case OpKind::list_read:
      for (std::uint64_t n = in.number(); n > 0; --n) saw(in.number());
      return;
    case OpKind::range_read:
      in.text();
      return saw_rows();
    case OpKind::predicate_read:
      return saw_rows();
    case OpKind::rows_read:
      return;
  }
}

}  // namespace

void TransactionBytes::begin(std::int64_t start, std::int64_t ahead) {
  bytes_.resize(sizeof(Header));
  operations_ = 0;
  Header header;
  header.shown_start = start + ahead;
  std::memcpy(bytes_.data(), &header, sizeof header);
}

void TransactionBytes::start_operation(OpKind kind) {
  ++operations_;
  put(static_cast<std::uint64_t>(kind));
}

void TransactionBytes::put(std::uint64_t number) {
  while (number >= 0x80) {
    bytes_ += static_cast<char>(static_cast<unsigned char>(number | 0x80U));
    number >>= 7;
  }
  bytes_ += static_cast<char>(static_cast<unsigned char>(number));
}

void TransactionBytes::put(std::string_view text) {
  put(std::uint64_t{text.size()});
  bytes_ += text;
}

void TransactionBytes::put(const ShownVersion& version) {
  // What is longer is told by its number alone, so that a history stays small.
  constexpr std::size_t kLongestShown = 24;
  const bool shows =
      version.value.has_value() && version.value->size() <= kLongestShown && version.version != 0;
  put(version.version << 1 | (shows ? 1U : 0U));
  if (shows) put(*version.value);
}

void TransactionBytes::put_rows(std::span<const database::StoredRow> rows, bool values) {
  put(std::uint64_t{rows.size()});
  for (const database::StoredRow& row : rows) {
    put(std::string_view(row.key));
    put(ShownVersion{row.stored.version,
                     values ? std::optional<std::string_view>(row.stored.value) : std::nullopt});
  }
}

void TransactionBytes::read(std::string_view key, const ShownVersion& seen) {
  start_operation(OpKind::read);
  put(key);
  put(seen);
}

void TransactionBytes::write(OpKind kind, std::string_view key, const ShownVersion& written) {
  start_operation(kind);
  put(key);
  put(written);
}

void TransactionBytes::erase(std::string_view key) {
  start_operation(OpKind::erase);
  put(key);
}

void TransactionBytes::list_read(std::string_view key, std::span<const database::ListElement> elements) {
  start_operation(OpKind::list_read);
  put(key);
  put(std::uint64_t{elements.size()});
  for (const database::ListElement& element : elements) put(element.version);
}

void TransactionBytes::predicate_read(std::string_view predicate, std::span<const database::StoredRow> rows,
                                      bool values) {
  start_operation(OpKind::predicate_read);
  put(predicate);
  put_rows(rows, values);
}

void TransactionBytes::range_read(std::string_view low, std::string_view high,
                                  std::span<const database::StoredRow> rows, bool values) {
  start_operation(OpKind::range_read);
  put(low);
  put(high);
  put_rows(rows, values);
}

void TransactionBytes::end(Status status, std::int64_t end, std::int64_t ahead) {
  Header header;
  std::memcpy(&header, bytes_.data(), sizeof header);
  header.bytes = bytes_.size();
  header.end = end;
  // A clock that stepped back meanwhile shows no end before the start.
  header.shown_end = std::max(end + ahead, header.shown_start);
  header.operations = operations_;
  header.status = status;
  std::memcpy(bytes_.data(), &header, sizeof header);
}

std::vector<SentTransaction> look_through(std::string_view bytes) {
  std::vector<SentTransaction> found;
  std::size_t at = 0;
  Header header;
  while (bytes.size() - at >= sizeof header) {
    std::memcpy(&header, bytes.data() + at, sizeof header);
    if (header.bytes > bytes.size() - at) break;
    Cursor in(bytes.substr(at + sizeof header, header.bytes - sizeof header));
    at += header.bytes;
    SentTransaction t;
    t.end_of_bytes = at;
    t.end = header.end;
    for (std::uint32_t i = 0; i < header.operations; ++i) look_at_operation(in, t);
    if (header.status != Status::committed) t.read.clear();
    found.push_back(std::move(t));
  }
  return found;
}

void replay(std::string& bytes, std::size_t length, HistoryBuilder& build, Session session,
            std::int64_t& next_name) {
  Values values;
  Header header;
  for (std::size_t at = 0; at < length; at += header.bytes) {
    assert(length - at >= sizeof header);
    std::memcpy(&header, bytes.data() + at, sizeof header);
    assert(header.bytes >= sizeof header && header.bytes <= length - at);
    Cursor in(std::string_view(bytes).substr(at + sizeof header, header.bytes - sizeof header));
    build.begin(session, Atom::integer(next_name++));
    for (std::uint32_t i = 0; i < header.operations; ++i) replay_operation(in, values, build);
    build.end(header.status, header.shown_start,
              header.status == Status::unknown ? std::nullopt : std::optional(header.shown_end));
  }
  bytes.erase(0, length);
}

}  // namespace assay::record
