// What checking and ordering a million operations costs: a trace of concurrent requests over sessions and a
// key-value table, its reports, and then reading, fit, admissibility, order and redo. Prints CPU seconds per
// part and the most memory held. `assay_audit_order [OPERATIONS]`.
#include <fmt/format.h>
#include <sys/resource.h>

#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <string>

#include "audit/admissible.hpp"
#include "audit/fit.hpp"
#include "audit/ordering.hpp"
#include "audit/redo.hpp"
#include "audit/reports.hpp"
#include "audit/trace.hpp"
#include "audit/wire/contents.hpp"
#include "audit/wire/file_frame.hpp"

namespace {

using namespace assay::audit;

constexpr std::uint64_t kOperationsPerRequest = 100;
constexpr std::uint64_t kAtATime = 16;

double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

long peak_kilobytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

struct Files {
  std::string trace = wire::file_head(wire::kTraceMagic);
  std::string reports = wire::file_head(wire::kReportMagic);
};

// `kAtATime` requests run side by side, each of their operations in turn.
Files make_files(std::uint64_t operations) {
  Files files;
  const std::uint64_t requests = operations / kOperationsPerRequest;
  std::string records;
  wire::put_object(records, 1, wire::ObjectKind::key_value, "");
  for (std::uint64_t s = 0; s < 1000; ++s) {
    wire::put_object(records, 2 + s, wire::ObjectKind::session, fmt::format("session{}", s));
  }
  std::uint64_t time = 1000, seq = 0;
  for (std::uint64_t first = 1; first <= requests; first += kAtATime) {
    const std::uint64_t end = std::min(first + kAtATime, requests + 1);
    for (std::uint64_t rid = first; rid < end; ++rid) {
      files.trace += wire::frame(wire::Tag::request, wire::encode(wire::Request{rid, ++time, {}, "GET"}), 0);
    }
    for (std::uint64_t opnum = 1; opnum <= kOperationsPerRequest; ++opnum) {
      for (std::uint64_t rid = first; rid < end; ++rid) {
        const std::string key = fmt::format("key{}", (rid * 31 + opnum) % 5000);
        if (opnum % 10 == 0) {
          wire::put_operation(
              records, {2 + rid % 1000, ++seq, rid, opnum, wire::OperationType::register_write, 0, key});
        } else {
          const std::string contents =
              opnum % 3 == 0 ? wire::kv_entries(time, 0, {{key, {true, 1, {}}}}) : wire::kv_keys(time, {key});
          const auto type = opnum % 3 == 0 ? wire::OperationType::kv_store : wire::OperationType::kv_fetch;
          wire::put_operation(records, {1, ++seq, rid, opnum, type, 0, contents});
        }
      }
    }
    for (std::uint64_t rid = first; rid < end; ++rid) {
      wire::put_count(records, rid, kOperationsPerRequest);
      wire::Response response;
      response.rid = rid;
      response.time = ++time;
      response.status = 200;
      files.trace += wire::frame(wire::Tag::response, wire::encode(response), 0);
    }
    files.reports += wire::frame(wire::Tag::records, records);
    records.clear();
  }
  return files;
}

}  // namespace

int main(int argc, char** argv) {
  const std::uint64_t operations = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1'000'000;
  const Files files = make_files(operations);
  fmt::print("files: trace {} kB, reports {} kB; {} kB held\n", files.trace.size() / 1000,
             files.reports.size() / 1000, peak_kilobytes());
  double last = cpu_seconds();
  const auto part = [&](const char* name) {
    const double now = cpu_seconds();
    fmt::print("{:<12} {:.3f} s\n", name, now - last);
    last = now;
  };
  const Trace trace("trace", files.trace);
  const Reports::File file{"reports", files.reports, "", std::nullopt};
  const Reports reports({&file, 1});
  part("read");
  const Fit fitted = fit(trace, reports);
  part("fit");
  if (fitted.finding || find_inadmissible(trace, reports, fitted.map, {})) return 1;
  part("admissible");
  if (find_disorder(trace, reports, fitted.map)) return 1;
  part("order");
  fmt::print("up to here {} MB at most\n", peak_kilobytes() / 1000);
  const Redone redone = redo(trace, reports, {}, std::filesystem::temp_directory_path(), {});
  if (redone.finding) return 1;
  part("redo");
  fmt::print("{} operations, {} requests, {} distinct results, {} MB at most\n", reports.operations(),
             trace.requests().size(), redone.results.distinct(), peak_kilobytes() / 1000);
  return 0;
}
