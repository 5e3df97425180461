#include "reports.hpp"

#include <algorithm>
#include <filesystem>
#include <stdexcept>

#include "audit/wire/file_frame.hpp"
#include "server.hpp"

namespace assay::php::testing {

namespace {

class Reader {
 public:
  Reader(Reports& reports, std::string name) : reports_(reports), name_(std::move(name)) {}

  void records(std::string_view body) {
    wire::Cursor in(body);
    while (!in.at_end()) {
      record(in);
      if (!in.ok())
        throw std::runtime_error(name_ + ": a record is wrong at byte " + std::to_string(in.position()));
    }
  }

 private:
  void record(wire::Cursor& in) {
    switch (static_cast<wire::Record>(in.byte())) {
      case wire::Record::property:
        in.bytes();
        in.bytes();
        break;
      case wire::Record::object: {
        const std::uint64_t number = in.natural();
        const auto kind = static_cast<wire::ObjectKind>(in.byte());
        objects_[number] = {kind, std::string(in.bytes())};
        break;
      }
      case wire::Record::group: {
        const std::uint64_t rid = in.natural();
        reports_.tags[rid] = in.u64();
        break;
      }
      case wire::Record::count: {
        const std::uint64_t rid = in.natural();
        if (!reports_.counts.emplace(rid, in.natural()).second)
          throw std::runtime_error("a request has two counts");
        break;
      }
      case wire::Record::operation:
        operation(in);
        break;
      case wire::Record::nondeterminism: {
        auto& told = reports_.told[in.natural()].emplace_back();
        told.after = in.natural();
        told.kind = static_cast<wire::NdKind>(in.byte());
        told.repeat = in.natural();
        told.value = in.bytes();
        break;
      }
      default:
        in.refuse();
    }
  }

  void operation(wire::Cursor& in) {
    Operation op;
    const auto object = objects_.find(in.natural());
    if (object == objects_.end()) return in.refuse();
    op.kind = object->second.first;
    op.object = object->second.second;
    op.seq = in.natural();
    op.rid = in.natural();
    op.opnum = in.natural();
    op.type = static_cast<wire::OperationType>(in.byte());
    op.outcome = in.natural();
    op.contents = in.bytes();
    if (in.ok() && !reports_.operations.emplace(op.seq, op).second)
      throw std::runtime_error("two operations have one number");
  }

  Reports& reports_;
  std::string name_;
  std::map<std::uint64_t, std::pair<wire::ObjectKind, std::string>> objects_;
};

void read_one(const std::filesystem::path& path, Reports& reports) {
  const std::string file = read_file(path);
  reports.bytes += file.size();
  if (file.substr(0, wire::kFileHead) != wire::file_head(wire::kReportMagic))
    throw std::runtime_error(path.string() + ": no report");
  Reader reader(reports, path);
  std::string_view rest = std::string_view(file).substr(wire::kFileHead);
  while (!rest.empty()) {
    wire::FrameView frame;
    std::string body;
    if (wire::parse_frame(rest, frame) != wire::Parsed::frame || !wire::unpack(frame, body)) {
      throw std::runtime_error(path.string() + ": a frame is wrong");
    }
    reader.records(body);
    rest.remove_prefix(frame.whole());
  }
  std::filesystem::path tail_path = path;
  tail_path.replace_extension(wire::kTailSuffix);
  if (!std::filesystem::exists(tail_path)) return;
  const std::string tail = read_file(tail_path);
  if (tail.size() < wire::kTailHead) throw std::runtime_error(tail_path.string() + ": too short");
  const std::uint64_t base = wire::load_u64(tail.data() + wire::kFileHead);
  const std::uint64_t used = wire::load_u64(tail.data() + wire::kFileHead + 8);
  ++reports.tails;
  if (base == file.size()) reader.records(std::string_view(tail).substr(wire::kTailHead, used));
}

}  // namespace

std::vector<Operation> Reports::of_request(std::uint64_t rid) const {
  std::vector<Operation> found;
  for (const auto& [seq, operation] : operations) {
    if (operation.rid == rid) found.push_back(operation);
  }
  std::sort(found.begin(), found.end(),
            [](const Operation& a, const Operation& b) { return a.opnum < b.opnum; });
  return found;
}

Reports read_reports(const std::string& folder) {
  Reports reports;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == wire::kReportSuffix) read_one(entry.path(), reports);
  }
  return reports;
}

}  // namespace assay::php::testing
