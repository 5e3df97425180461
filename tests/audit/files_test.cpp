// Reading trace and reports: what a killed writer leaves, what is damaged, what is hostile.
#include <gtest/gtest.h>

#include "audit/draft.hpp"
#include "audit/little_server.hpp"
#include "audit/reports.hpp"
#include "audit/trace.hpp"
#include "audit/wire/file_frame.hpp"
#include "audit/wire/report_records.hpp"
#include "support/program.hpp"
#include "system/input_error.hpp"

namespace assay::audit::testing {
namespace {

Draft some_draft() {
  Rng rng(7);
  return serve(rng, {6, 6, 0.5, 0.1});
}

Reports read(const std::string& bytes) {
  const Reports::File file{"worker.rep", bytes, "", std::nullopt};
  return Reports({&file, 1});
}

// The message of the InputError, or "".
template <class Action>
std::string error_of(const Action& action) {
  try {
    action();
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

std::string one_frame(const std::string& records) {
  return wire::file_head(wire::kReportMagic) + wire::frame(wire::Tag::records, records);
}

TEST(AuditFiles, WhatIsWrittenIsRead) {
  const Draft draft = some_draft();
  const std::string trace_bytes = draft.trace_file();
  const std::string report_bytes = draft.report_file();
  const Trace trace("trace", trace_bytes);
  const Reports reports = read(report_bytes);
  const Draft again(trace, reports);
  EXPECT_EQ(again.trace_file(), trace_bytes);
  EXPECT_EQ(read(again.report_file()).operations(), draft.operations.size());
  EXPECT_EQ(trace.left_out(), 0U);
  ASSERT_EQ(again.events.size(), draft.events.size());
  for (std::size_t i = 0; i < draft.events.size(); ++i) {
    EXPECT_EQ(again.events[i].bytes, draft.events[i].bytes);
    EXPECT_EQ(again.events[i].rid, draft.events[i].rid);
    EXPECT_EQ(again.events[i].time, draft.events[i].time);
  }
}

TEST(AuditFiles, ATraceIsGoodUpToItsLastWholeFrameWhereverItsWriterWasKilled) {
  const std::string whole = some_draft().trace_file();
  std::size_t events = 0;
  for (std::size_t size = wire::kFileHead; size <= whole.size(); ++size) {
    const std::string_view cut(whole.data(), size);
    const Trace trace("trace", cut);
    EXPECT_GE(trace.events().size(), events);
    events = trace.events().size();
    EXPECT_LT(trace.left_out(), 200U);
  }
  EXPECT_EQ(events, Trace("trace", whole).events().size());
  EXPECT_NE(error_of([&] { const Trace trace("trace", std::string_view(whole).substr(0, 9)); }), "");
}

TEST(AuditFiles, AReportIsGoodUpToItsLastWholeFrame) {
  std::string records;
  wire::put_count(records, 1, 0);
  const std::string frame = wire::frame(wire::Tag::records, records);
  const std::string whole = wire::file_head(wire::kReportMagic) + frame + frame;
  for (std::size_t lost = 1; lost < frame.size(); ++lost) {
    const Reports reports = read(whole.substr(0, whole.size() - lost));
    EXPECT_EQ(reports.counts().size(), 1U);
    EXPECT_EQ(reports.notes().size(), 1U);
  }
}

TEST(AuditFiles, DamageInTheMiddleIsAnErrorWithItsByte) {
  const Draft draft = some_draft();
  for (std::string whole : {draft.trace_file()}) {
    whole[wire::kFileHead + wire::kFrameHead + 3] ^= 1;
    EXPECT_NE(error_of([&] { const Trace trace("trace", whole); }).find("trace: byte 16:"),
              std::string::npos);
  }
  std::string records;
  wire::put_count(records, 1, 0);
  std::string two = one_frame(records) + wire::frame(wire::Tag::records, records);
  two[wire::kFileHead + 17] ^= 1;
  EXPECT_NE(error_of([&] { read(two); }).find("worker.rep: byte 16:"), std::string::npos);
}

TEST(AuditFiles, AFrameThatUnpacksToSomethingElseIsAnError) {
  std::string records(1000, '\0');
  std::string file = one_frame(records);
  ASSERT_EQ(wire::load_u32(file.data() + wire::kFileHead + 12), 1U);  // zstd
  file[wire::kFileHead + 8] ^= 1;                                     // promises another length
  const std::string_view head(file.data() + wire::kFileHead, 16);
  std::string checksum;
  wire::put_u64(checksum, wire::frame_checksum(
                              head, std::string_view(file).substr(wire::kFileHead + wire::kFrameHead)));
  file.replace(wire::kFileHead + 16, 8, checksum);
  EXPECT_NE(error_of([&] { read(file); }).find("does not unpack"), std::string::npos);
}

TEST(AuditFiles, RecordsThatCannotBeAreErrors) {
  std::string unknown_object;
  wire::put_operation(unknown_object, {5, 1, 1, 1, wire::OperationType::register_read, 0, ""});
  EXPECT_NE(error_of([&] { read(one_frame(unknown_object)); }).find("no number yet"), std::string::npos);
  std::string twice;
  wire::put_object(twice, 1, wire::ObjectKind::session, "a");
  wire::put_object(twice, 1, wire::ObjectKind::session, "b");
  EXPECT_NE(error_of([&] { read(one_frame(twice)); }).find("already taken"), std::string::npos);
  EXPECT_NE(error_of([&] { read(one_frame("\x07")); }).find("expected a record"), std::string::npos);
  EXPECT_NE(error_of([&] { read(one_frame("\x04\x01")); }).find("malformed"), std::string::npos);
  EXPECT_NE(error_of([&] { read(one_frame(std::string("\x04\x81\x00\x00", 4))); }).find("malformed"),
            std::string::npos);  // a natural that is not in its shortest form
  std::string short_clock;
  wire::put_nondeterminism(short_clock, {1, 0, wire::NdKind::clock, 1, "1234"});
  EXPECT_NE(error_of([&] { read(one_frame(short_clock)); }).find("eight bytes"), std::string::npos);
}

TEST(AuditFiles, ATraceMustBeInOrder) {
  Draft draft;
  draft.events.push_back({false, 2, 10, {}, 0, {}, ""});
  draft.events.push_back({false, 1, 11, {}, 0, {}, ""});
  EXPECT_NE(error_of([&] {
              const std::string b = draft.trace_file();
              const Trace t("trace", b);
            }).find("ids must grow"),
            std::string::npos);
  draft.events[1] = {false, 3, 9, {}, 0, {}, ""};
  EXPECT_NE(error_of([&] {
              const std::string b = draft.trace_file();
              const Trace t("trace", b);
            }).find("before that of"),
            std::string::npos);
}

TEST(AuditFiles, AFolderOfReportsIsOneReport) {
  assay::testing::TemporaryFolder folder;
  const auto worker = [](std::uint64_t seq, std::uint64_t rid) {
    std::string records;
    wire::put_object(records, seq, wire::ObjectKind::key_value, "");  // the number is the file's own affair
    wire::put_operation(records, {seq, seq, rid, 1, wire::OperationType::kv_clear, 0, ""});
    wire::put_count(records, rid, 1);
    return records;
  };
  folder.file("one.rep", one_frame(worker(20, 1)));
  folder.file("two.rep", one_frame(worker(10, 2)));
  folder.file("notes.txt", "nothing of an audit's");
  const Reports reports = Reports::read_folder(folder.string());
  ASSERT_EQ(reports.objects().size(), 1U);
  ASSERT_EQ(reports.objects()[0].log.size(), 2U);
  EXPECT_EQ(reports.objects()[0].log[0].rid, 2U);
  EXPECT_EQ(reports.objects()[0].log[1].rid, 1U);
}

TEST(AuditFiles, TheTailOfAKilledWorkerGoesOnWhereItsReportEnds) {
  std::string framed;
  wire::put_object(framed, 1, wire::ObjectKind::session, "s");
  const std::string report = one_frame(framed);
  std::string records;
  wire::put_operation(records, {1, 1, 7, 1, wire::OperationType::register_read, 0, ""});
  const auto tail = [&](std::uint64_t base, std::uint64_t used) {
    std::string bytes = wire::file_head(wire::kReportMagic);
    wire::put_u64(bytes, base);
    wire::put_u64(bytes, used);
    return bytes + records + std::string(100, '\0');
  };
  const auto operations = [&](const std::string& tail_bytes) {
    const Reports::File file{"w.rep", report, "w.tail", tail_bytes};
    return Reports({&file, 1}).operations();
  };
  EXPECT_EQ(operations(tail(report.size(), records.size())), 1U);
  EXPECT_EQ(operations(tail(report.size(), 0)), 0U);
  EXPECT_EQ(operations(tail(report.size() - 1, records.size())), 0U);  // it was appended after all
  EXPECT_NE(error_of([&] { operations(tail(report.size() + 1, records.size())); }), "");
  EXPECT_NE(error_of([&] { operations(tail(report.size(), 1U << 20)); }), "");
  EXPECT_NE(error_of([&] { operations("short"); }), "");
}

TEST(AuditFiles, AWorkerThatIsKilledAsItBeginsHasToldNothing) {
  const auto operations = [](const std::string& report, std::optional<std::string_view> tail) {
    const Reports::File file{"w.rep", report, "w.tail", tail};
    return Reports({&file, 1}).operations();
  };
  const std::string head = wire::file_head(wire::kReportMagic);
  EXPECT_EQ(operations("", std::nullopt), 0U);
  EXPECT_EQ(operations(head, std::nullopt), 0U);
  EXPECT_EQ(operations(head, ""), 0U);
  EXPECT_EQ(operations(head, std::string(1U << 12, '\0')), 0U);
  EXPECT_EQ(operations(head, head + std::string(1U << 12, '\0')), 0U);
  EXPECT_NE(error_of([&] { operations(head.substr(0, 3), std::nullopt); }), "");
}

}  // namespace
}  // namespace assay::audit::testing
