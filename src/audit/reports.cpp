#include "audit/reports.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "audit/frame_file.hpp"
#include "system/input.hpp"
#include "system/input_error.hpp"

namespace assay::audit {

namespace {

// A few bytes can unpack to very many.
constexpr std::uint64_t kMostUnpacked = std::uint64_t{1} << 32;

}  // namespace

// Reads one worker's file into the reports.
class Reports::Reader {
 public:
  Reader(Reports& reports, std::uint32_t file) : reports_(reports), file_number_(file) {}

  void read(const File& file) {
    if (!file.path.empty()) read_frames(file);
    if (file.tail) read_tail(file);
  }

 private:
  // A worker that is killed as it begins leaves files without a head: nothing in them was told by anybody.
  static bool nothing_written(std::string_view bytes) {
    return bytes.substr(0, wire::kFileHead).find_first_not_of('\0') == std::string_view::npos;
  }

  void read_frames(const File& file) {
    if (file.bytes.empty()) return;
    FrameFile frames(file.path, file.bytes, wire::kReportMagic);
    while (const auto frame = frames.next()) {
      if (frame->view.tag != static_cast<std::uint32_t>(wire::Tag::records)) {
        frames.fail(frame->position, "a frame of a report is tagged RECS, this one is not");
      }
      if ((reports_.unpacked_ += frame->view.raw_length) > kMostUnpacked) {
        frames.fail(frame->position, fmt::format("the reports unpack to more than {} bytes", kMostUnpacked));
      }
      std::string& body = reports_.bodies_.emplace_back();
      frames.body(*frame, body);
      read_records(body, [&](std::size_t at, const std::string& message) {
        frames.fail(frame->position, fmt::format("byte {} of this frame's body: {}", at, message));
      });
    }
    if (frames.left_out() > 0) {
      reports_.notes_.push_back(fmt::format("{}: the last {} bytes are no whole frame and were left out",
                                            file.path, frames.left_out()));
    }
  }

  // What was not yet in a frame when the worker was killed. Void if the frame got into the file after all.
  void read_tail(const File& file) {
    const auto fail = [&](std::size_t at, const std::string& message) {
      throw InputError(file.tail_path, fmt::format("byte {}", at), message);
    };
    const std::string_view tail = *file.tail;
    if (nothing_written(tail)) return;
    if (tail.size() < wire::kTailHead || tail.substr(0, 8) != wire::kReportMagic) {
      fail(0, "expected the head of a report's tail");
    }
    if (wire::load_u32(tail.data() + 8) != wire::kVersion)
      fail(8, "a version that this program does not read");
    const std::uint64_t base = wire::load_u64(tail.data() + wire::kFileHead);
    const std::uint64_t used = wire::load_u64(tail.data() + wire::kFileHead + 8);
    if (file.bytes.size() > base) return;
    if (file.bytes.size() < base && !(file.path.empty() && base == wire::kFileHead)) {
      fail(wire::kFileHead, fmt::format("the tail goes on at byte {} of its report, which has only {}", base,
                                        file.bytes.size()));
    }
    if (used > tail.size() - wire::kTailHead || used > wire::kLargestFrame) {
      fail(wire::kFileHead + 8, fmt::format("{} bytes of records cannot stand here", used));
    }
    std::string& body = reports_.bodies_.emplace_back(tail.substr(wire::kTailHead, used));
    read_records(body,
                 [&](std::size_t at, const std::string& message) { fail(wire::kTailHead + at, message); });
  }

  template <class Fail>
  void read_records(const std::string& body, const Fail& fail) {
    wire::Cursor in(body);
    while (!in.at_end()) {
      const std::size_t start = in.position();
      const char* wrong = read_record(static_cast<wire::Record>(in.byte()), in);
      if (!in.ok()) fail(in.position(), fmt::format("the record that begins at byte {} is malformed", start));
      if (wrong != nullptr) fail(start, wrong);
    }
  }

  // What is wrong with a record whose form is right, or null.
  const char* read_record(wire::Record kind, wire::Cursor& in) {
    switch (kind) {
      case wire::Record::property: {
        const wire::Bytes name = in.bytes(wire::kLargestName);
        const wire::Bytes value = in.bytes(wire::kLargestName);
        if (in.ok() && reports_.properties_.size() < wire::kMostInList) {
          reports_.properties_.emplace(name, value);
        }
        return nullptr;
      }
      case wire::Record::object:
        return read_object(in);
      case wire::Record::group: {
        const std::uint64_t rid = in.natural();
        reports_.groups_.push_back({rid, in.u64()});
        return nullptr;
      }
      case wire::Record::count: {
        const std::uint64_t rid = in.natural();
        reports_.counts_.push_back({rid, in.natural()});
        return nullptr;
      }
      case wire::Record::operation:
        return read_operation(in);
      case wire::Record::nondeterminism:
        return read_oracle_value(in);
    }
    return "expected a record, which begins with a byte from 1 to 6";
  }

  const char* read_object(wire::Cursor& in) {
    const std::uint64_t number = in.natural();
    const std::uint8_t kind = in.byte();
    const wire::Bytes name = in.bytes(wire::kLargestName);
    if (!in.ok()) return nullptr;
    if (kind < 1 || kind > 4) return "an object is of kind 1 to 4, this one is not";
    if (reports_.objects_.size() >= std::numeric_limits<std::uint32_t>::max() / 4) return "too many objects";
    const auto [known, is_new] =
        reports_.object_numbers_.try_emplace({static_cast<wire::ObjectKind>(kind), std::string(name)},
                                             static_cast<std::uint32_t>(reports_.objects_.size()));
    if (is_new) reports_.objects_.push_back({known->first.first, known->first.second, {}});
    if (!numbers_.try_emplace(number, known->second).second)
      return "the number of this object is already taken";
    return nullptr;
  }

  const char* read_operation(wire::Cursor& in) {
    const std::uint64_t object = in.natural();
    const std::uint64_t seq = in.natural();
    const std::uint64_t rid = in.natural();
    const std::uint64_t opnum = in.natural();
    const auto type = static_cast<wire::OperationType>(in.byte());
    const std::uint64_t outcome = in.natural();
    const wire::Bytes contents = in.bytes();
    if (!in.ok()) return nullptr;
    const auto known = numbers_.find(object);
    if (known == numbers_.end()) return "an operation on an object that has no number yet";
    if (opnum > std::numeric_limits<std::uint32_t>::max() / 4)
      return "the number of this operation is too large";
    if (outcome > std::numeric_limits<std::uint16_t>::max()) return "an outcome that does not exist";
    if (++reports_.operations_ > std::numeric_limits<std::uint32_t>::max() / 4) return "too many operations";
    reports_.objects_[known->second].log.push_back(
        {seq, rid, contents.data(), static_cast<std::uint32_t>(contents.size()),
         static_cast<std::uint32_t>(opnum), static_cast<std::uint16_t>(outcome), type});
    return nullptr;
  }

  const char* read_oracle_value(wire::Cursor& in) {
    OracleValue value{};
    value.rid = in.natural();
    value.after = in.natural();
    const std::uint8_t kind = in.byte();
    value.kind = static_cast<wire::NdKind>(kind);
    value.repeat = in.natural();
    value.value = in.bytes();
    value.file = file_number_;
    if (!in.ok()) return nullptr;
    if (kind < 1 || kind > 7) return "a value of nondeterminism is of kind 1 to 7, this one is not";
    if (value.repeat == 0) return "a value that was given no time at all";
    const bool number = value.kind == wire::NdKind::clock || value.kind == wire::NdKind::random_seed ||
                        value.kind == wire::NdKind::process_id;
    if (number && value.value.size() != 8) return "this kind of value has eight bytes";
    reports_.oracle_.push_back(value);
    return nullptr;
  }

  Reports& reports_;
  std::uint32_t file_number_;
  std::unordered_map<std::uint64_t, std::uint32_t> numbers_;  // of this file -> index in objects_
};

Reports::Reports(std::span<const File> files) {
  std::uint32_t number = 0;
  for (const File& file : files) Reader(*this, number++).read(file);
  const auto by_rid = [](const auto& a, const auto& b) { return a.rid < b.rid; };
  const auto sort = [](auto& range, const auto& less) {
    if (!std::is_sorted(range.begin(), range.end(), less)) std::stable_sort(range.begin(), range.end(), less);
  };
  sort(counts_, by_rid);
  sort(groups_, by_rid);
  sort(oracle_, by_rid);
  for (Object& object : objects_) {
    sort(object.log, [](const LoggedOperation& a, const LoggedOperation& b) { return a.seq < b.seq; });
  }
}

Reports Reports::read_folder(const std::string& path) {
  const system::OpenedInput opened = system::open_input(path);
  std::map<std::string, File> by_name;  // without the suffix
  for (const system::InputFile& input : opened.input.files) {
    const auto name_before = [&](wire::Bytes suffix) {
      return input.path.substr(0, input.path.size() - suffix.size());
    };
    if (std::string_view(input.path).ends_with(wire::kReportSuffix)) {
      File& file = by_name[name_before(wire::kReportSuffix)];
      file.path = input.path;
      file.bytes = input.bytes;
    } else if (std::string_view(input.path).ends_with(wire::kTailSuffix)) {
      File& file = by_name[name_before(wire::kTailSuffix)];
      file.tail_path = input.path;
      file.tail = input.bytes;
    }
  }
  if (by_name.empty()) throw InputError(path, "", "there is no report here; their names end in .rep");
  std::vector<File> files;
  files.reserve(by_name.size());
  for (auto& [name, file] : by_name) files.push_back(std::move(file));
  return Reports(files);
}

std::span<const OracleValue> Reports::oracle(std::uint64_t rid) const {
  const auto less = [](const OracleValue& a, std::uint64_t b) { return a.rid < b; };
  const auto first = std::lower_bound(oracle_.begin(), oracle_.end(), rid, less);
  auto last = first;
  while (last != oracle_.end() && last->rid == rid) ++last;
  return {first, last};
}

}  // namespace assay::audit
