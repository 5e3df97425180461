#include "audit/period/carried.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <stdexcept>

#include "audit/frame_file.hpp"
#include "system/input.hpp"
#include "system/input_error.hpp"

namespace assay::audit {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kPart = std::size_t{1} << 25;  // of the state in one frame
constexpr std::size_t kUnlimited = ~std::size_t{0};

std::uint64_t digest_of(const fs::path& file) {
  const system::OpenedInput opened = system::open_input(file.string());
  const std::string_view bytes = opened.input.files.front().bytes;
  return XXH3_64bits(bytes.data(), bytes.size());
}

std::map<std::string, std::uint64_t> digests_in(const fs::path& folder) {
  std::map<std::string, std::uint64_t> digests;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (name != kCarriedFile) digests[name] = fs::is_empty(entry.path()) ? 0 : digest_of(entry.path());
  }
  return digests;
}

void put(std::string& out, const TraceCut& cut) {
  for (const std::uint64_t number : {cut.last_rid, cut.time, cut.bytes, cut.digest})
    wire::put_u64(out, number);
}

TraceCut take_cut(wire::Cursor& in) {
  TraceCut cut;
  for (std::uint64_t* number : {&cut.last_rid, &cut.time, &cut.bytes, &cut.digest}) *number = in.u64();
  return cut;
}

void put(std::string& out, const CarriedObject& object) {
  wire::put_byte(out, static_cast<std::uint8_t>(object.kind));
  wire::put_bytes(out, object.name);
  wire::put_byte(out, object.last_seq ? 1 : 0);
  wire::put_natural(out, object.last_seq.value_or(0));
  wire::put_natural(out, object.gone.size());
  for (const std::uint64_t rid : object.gone) wire::put_natural(out, rid);
  wire::put_bytes(out, object.machine);
}

CarriedObject take_object(wire::Cursor& in) {
  CarriedObject object;
  object.kind = static_cast<wire::ObjectKind>(in.byte());
  object.name = in.bytes();
  const bool has_seq = in.byte() != 0;
  const std::uint64_t seq = in.natural();
  if (has_seq) object.last_seq = seq;
  for (std::uint64_t left = in.natural(); left > 0 && in.ok(); --left) object.gone.insert(in.natural());
  object.machine = in.bytes(kUnlimited);
  return object;
}

void put(std::string& out, const CarriedOperation& operation) {
  wire::put_natural(out, operation.object);
  wire::put_natural(out, operation.seq);
  wire::put_natural(out, operation.rid);
  wire::put_natural(out, operation.opnum);
  wire::put_byte(out, static_cast<std::uint8_t>(operation.type));
  wire::put_natural(out, operation.outcome);
  wire::put_bytes(out, operation.contents);
  wire::put_bytes(out, operation.result);
}

CarriedOperation take_operation(wire::Cursor& in) {
  CarriedOperation operation;
  operation.object = static_cast<std::uint32_t>(in.natural());
  operation.seq = in.natural();
  operation.rid = in.natural();
  operation.opnum = static_cast<std::uint32_t>(in.natural());
  operation.type = static_cast<wire::OperationType>(in.byte());
  operation.outcome = static_cast<std::uint16_t>(in.natural());
  operation.contents = in.bytes(kUnlimited);
  operation.result = in.bytes(kUnlimited);
  return operation;
}

// All frames together are the state.
std::string unpacked(const std::string& name, std::string_view bytes) {
  FrameFile file(name, bytes, wire::kStateMagic);
  std::string all, part;
  while (const auto frame = file.next()) {
    file.body(*frame, part);
    all += part;
  }
  if (file.left_out() > 0) file.fail(file.position(), "the state is damaged or was not written to its end");
  return all;
}

}  // namespace

fs::path Carried::files(std::size_t object) const {
  return folder / fmt::format("object-{}", object);
}

bool is_carried(const fs::path& folder) {
  return fs::is_regular_file(folder / kCarriedFile);
}

Carried parse_carried(const std::string& name, std::string_view bytes) {
  const std::string all = unpacked(name, bytes);
  wire::Cursor in(all);
  Carried carried;
  for (std::uint64_t left = in.natural(); left > 0 && in.ok(); --left) {
    const std::string file(in.bytes());
    carried.digests[file] = in.u64();
  }
  carried.cut = take_cut(in);
  carried.requests = in.bytes(kUnlimited);
  for (std::uint64_t left = in.natural(); left > 0 && in.ok(); --left)
    carried.objects.push_back(take_object(in));
  for (std::uint64_t left = in.natural(); left > 0 && in.ok(); --left)
    carried.operations.push_back(take_operation(in));
  const bool known_objects = std::all_of(carried.operations.begin(), carried.operations.end(),
                                         [&](const auto& op) { return op.object < carried.objects.size(); });
  if (!in.finished() || !known_objects)
    throw InputError(name, fmt::format("byte {}", in.position()), "the state is malformed");
  return carried;
}

Carried read_carried(const fs::path& folder) {
  const std::string path = (folder / kCarriedFile).string();
  const system::OpenedInput opened = system::open_input(path);
  Carried carried = parse_carried(path, opened.input.files.front().bytes);
  carried.folder = folder;
  const std::map<std::string, std::uint64_t> found = digests_in(folder);
  for (const auto& [name, digest] : carried.digests) {
    const auto here = found.find(name);
    if (here == found.end()) throw InputError((folder / name).string(), "", "this file of the state is gone");
    if (here->second != digest)
      throw InputError((folder / name).string(), "", "was changed since the audit wrote it");
  }
  return carried;
}

void write_carried(const Carried& carried) {
  std::string all;
  const std::map<std::string, std::uint64_t> digests = digests_in(carried.folder);
  wire::put_natural(all, digests.size());
  for (const auto& [name, digest] : digests) {
    wire::put_bytes(all, name);
    wire::put_u64(all, digest);
  }
  put(all, carried.cut);
  wire::put_bytes(all, carried.requests);
  wire::put_natural(all, carried.objects.size());
  for (const CarriedObject& object : carried.objects) put(all, object);
  wire::put_natural(all, carried.operations.size());
  for (const CarriedOperation& operation : carried.operations) put(all, operation);
  const std::string path = (carried.folder / kCarriedFile).string();
  std::ofstream out(path, std::ios::binary);
  out << wire::file_head(wire::kStateMagic);
  for (std::size_t at = 0; at < all.size(); at += kPart)
    out << wire::frame(wire::Tag::state, std::string_view(all).substr(at, kPart));
  if (!out.flush()) throw std::runtime_error(path + ": cannot be written");
}

}  // namespace assay::audit
