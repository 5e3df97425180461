// The C interface: what is asked, what was found, and its proof.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <span>
#include <string_view>

#include "api/handle.hpp"
#include "evidence/certificate.hpp"
#include "report/dot.hpp"
#include "report/junit.hpp"
#include "report/page/page.hpp"
#include "report/printable.hpp"
#include "report/report.hpp"
#include "report/story.hpp"
#include "verify/verify.hpp"

using assay::Level;
using assay::api::done;
using assay::api::given;
using assay::api::guarded;
using assay::api::level_named;
using assay::api::Misuse;
using assay::api::verdict_of;
using assay::check::Outcome;
using assay::evidence::Examination;

namespace report = assay::report;

struct assay_verification {
  assay::verify::Verification found;
};

namespace {

// Nullptr if there is none of that number.
const Outcome* outcome(const assay_report* report, size_t index) {
  if (report == nullptr || index >= report->found.outcomes.size()) return nullptr;
  return &report->found.outcomes[index];
}

const char* written(assay_report* report, std::optional<std::string> assay_report::*form,
                    std::string (*write)(const Examination&)) {
  return guarded<const char*>(nullptr, [&] {
    std::optional<std::string>& text = given(report, "report").*form;
    if (!text) text = write(report->found);
    return text->c_str();
  });
}

std::string explanation_of(const Examination& found, const Outcome& outcome) {
  if (outcome.verdict == assay::check::Verdict::undecided) return outcome.reason;
  return report::explanation(*found.history, outcome, report::story_of(found, outcome.level));
}

assay_report* checked(const assay_history* history, std::span<const char* const> names,
                      const assay::evidence::ExamineOptions& options) {
  if (names.empty()) throw Misuse("no level is asked for");
  std::vector<Level> asked;
  for (const char* name : names) asked.push_back(level_named(name));
  return new assay_report(assay::evidence::examine(given(history, "history").history, asked, options));
}

void set_timeout(assay::check::Options& options, double seconds) {
  if (!(seconds >= 0)) throw Misuse("the timeout is negative or not a number");
  options.timeout_seconds.reset();
  if (seconds > 0 && std::isfinite(seconds)) options.timeout_seconds = seconds;
}

}  // namespace

assay_options* assay_options_new(void) {
  return guarded<assay_options*>(nullptr, [] { return new assay_options; });
}

int assay_set_session_order(assay_options* options, int counts) {
  return done([&] {
    given(options, "options").examine.check.sessions =
        counts != 0 ? assay::check::SessionOrder::keep : assay::check::SessionOrder::ignore;
  });
}

int assay_set_clock_drift(assay_options* options, int64_t nanoseconds) {
  return done([&] {
    if (nanoseconds < 0) throw Misuse("the clock drift is negative");
    given(options, "options").examine.check.clock_drift = std::chrono::nanoseconds(nanoseconds);
  });
}

int assay_set_timeout(assay_options* options, double seconds) {
  return done([&] { set_timeout(given(options, "options").examine.check, seconds); });
}

int assay_set_memory(assay_options* options, size_t bytes) {
  return done([&] {
    std::optional<std::size_t>& limit = given(options, "options").examine.check.memory_bytes;
    limit.reset();
    if (bytes > 0) limit = bytes;
  });
}

int assay_set_threads(assay_options* options, unsigned threads) {
  constexpr unsigned kMost = 1024;
  return done([&] { given(options, "options").examine.check.threads = std::clamp(threads, 1U, kMost); });
}

int assay_set_method(assay_options* options, const char* method) {
  return done([&] {
    const std::string_view name = assay::api::given_text(method, "method");
    assay::check::Method& chosen = given(options, "options").examine.check.method;
    if (name == "auto") {
      chosen = assay::check::Method::automatic;
    } else if (name == "width") {
      chosen = assay::check::Method::width;
    } else if (name == "sat") {
      chosen = assay::check::Method::sat;
    } else {
      throw Misuse("method cannot be '" + std::string(name) + "'; it is one of auto, width, sat");
    }
  });
}

int assay_require_committed(assay_options* options, uint64_t transactions) {
  return done([&] { given(options, "options").examine.require_committed = transactions; });
}

void assay_options_free(assay_options* options) {
  delete options;
}

assay_report* assay_check(const assay_history* history, const char* level, double timeout_seconds) {
  return guarded<assay_report*>(nullptr, [&] {
    assay::evidence::ExamineOptions options;
    set_timeout(options.check, timeout_seconds);
    return checked(history, {&level, 1}, options);
  });
}

assay_report* assay_check_levels(const assay_history* history, const char* const* levels, size_t count,
                                 const assay_options* options) {
  return guarded<assay_report*>(nullptr, [&] {
    if (levels == nullptr && count > 0) throw Misuse("levels is NULL");
    return checked(history, {levels, count},
                   options == nullptr ? assay::evidence::ExamineOptions() : options->examine);
  });
}

assay_verdict assay_report_verdict(const assay_report* report) {
  if (report == nullptr || report->found.outcomes.empty()) return ASSAY_UNDECIDED;
  assay_verdict all = ASSAY_HOLDS;
  for (const Outcome& each : report->found.outcomes) {
    const assay_verdict verdict = verdict_of(each.verdict);
    if (verdict == ASSAY_VIOLATED) return ASSAY_VIOLATED;
    if (verdict == ASSAY_UNDECIDED) all = ASSAY_UNDECIDED;
  }
  return all;
}

size_t assay_report_levels(const assay_report* report) {
  return report == nullptr ? 0 : report->found.outcomes.size();
}

const char* assay_report_level(const assay_report* report, size_t index) {
  const Outcome* found = outcome(report, index);
  return found == nullptr ? nullptr : assay::info(found->level).name.data();
}

assay_verdict assay_report_level_verdict(const assay_report* report, size_t index) {
  const Outcome* found = outcome(report, index);
  return found == nullptr ? ASSAY_UNDECIDED : verdict_of(found->verdict);
}

const char* assay_report_explanation(assay_report* report, size_t index) {
  return guarded<const char*>(nullptr, [&]() -> const char* {
    const Outcome* found = outcome(report, index);
    if (found == nullptr) throw Misuse("there is no such level in the report");
    std::optional<std::string>& text = report->explanations[index];
    if (!text) text = explanation_of(report->found, *found);
    return text->c_str();
  });
}

const char* assay_report_strongest(const assay_report* report) {
  if (report == nullptr) return nullptr;
  const std::optional<Level> level = report->found.strongest();
  return level ? assay::info(*level).name.data() : nullptr;
}

const char* assay_report_text(assay_report* report) {
  return written(report, &assay_report::text,
                 [](const Examination& found) { return report::text(found, {}); });
}

const char* assay_report_json(assay_report* report) {
  return written(report, &assay_report::json, report::json);
}

const char* assay_report_page(assay_report* report) {
  return written(report, &assay_report::page, [](const Examination& found) { return report::html(found); });
}

const char* assay_report_dot(assay_report* report) {
  return written(report, &assay_report::dot, report::dot);
}

const char* assay_report_junit(assay_report* report) {
  return written(report, &assay_report::junit, report::junit);
}

const char* assay_report_certificate(assay_report* report, size_t index) {
  return guarded<const char*>(nullptr, [&] {
    const Outcome* found = outcome(report, index);
    if (found == nullptr) throw Misuse("there is no such level in the report");
    std::optional<std::string>& text = report->certificates[index];
    if (!text) text = assay::evidence::certificate(report->found, *found);
    if (!text)
      throw Misuse("there is no proof: the level is undecided, or no proof of bearable length was found");
    return text->c_str();
  });
}

void assay_report_free(assay_report* report) {
  delete report;
}

assay_verification* assay_verify(const assay_history* history, const char* certificate, size_t size) {
  return guarded<assay_verification*>(nullptr, [&] {
    auto verification = std::make_unique<assay_verification>();
    verification->found = assay::verify::verify({&given(certificate, "certificate"), size}, "certificate",
                                                *given(history, "history").history, report::printable);
    return verification.release();
  });
}

int assay_verification_accepted(const assay_verification* verification) {
  return verification != nullptr && verification->found.accepted ? 1 : 0;
}

const char* assay_verification_reason(const assay_verification* verification) {
  return verification == nullptr ? "" : verification->found.reason.c_str();
}

const char* assay_verification_level(const assay_verification* verification) {
  return verification == nullptr ? nullptr : assay::info(verification->found.claim.level).name.data();
}

assay_verdict assay_verification_verdict(const assay_verification* verification) {
  if (verification == nullptr) return ASSAY_UNDECIDED;
  return verification->found.claim.holds ? ASSAY_HOLDS : ASSAY_VIOLATED;
}

int assay_verification_session_order(const assay_verification* verification) {
  return verification != nullptr && verification->found.claim.keep_sessions ? 1 : 0;
}

int64_t assay_verification_clock_drift(const assay_verification* verification) {
  return verification == nullptr ? 0 : verification->found.claim.clock_drift.count();
}

void assay_verification_free(assay_verification* verification) {
  delete verification;
}
