// The C interface: a history that goes on, given in fragments and decided in rounds.
#include <memory>
#include <utility>

#include "api/handle.hpp"
#include "watch/event.hpp"
#include "watch/watcher.hpp"

using assay::api::done;
using assay::api::given;
using assay::api::given_text;
using assay::api::guarded;

namespace watch = assay::watch;

struct assay_watcher {
  explicit assay_watcher(const watch::WatchOptions& asked) : options(asked), watcher(asked) {}
  watch::WatchOptions options;
  watch::Watcher watcher;
  std::uint64_t transactions = 0, violations = 0;
};

struct assay_round {
  watch::Round round;
  std::unique_ptr<assay_report> report;  // null: nothing shows it, or there is nothing to show
};

assay_watcher* assay_watcher_new(const char* level, const assay_options* options) {
  return guarded<assay_watcher*>(nullptr, [&] {
    watch::WatchOptions asked;
    asked.level = assay::api::level_named(level);
    if (options != nullptr && options->examine.check.clock_drift) {
      asked.clock_drift = options->examine.check.clock_drift->count();
    }
    return new assay_watcher(asked);
  });
}

int assay_watcher_admit(assay_watcher* watcher, const char* session) {
  return done([&] { given(watcher, "watcher").watcher.admit(given_text(session, "session")); });
}

int assay_watcher_all_admitted(assay_watcher* watcher) {
  return done([&] { given(watcher, "watcher").watcher.all_sessions_known(); });
}

int assay_watcher_close(assay_watcher* watcher, const char* session) {
  return done([&] { given(watcher, "watcher").watcher.close(given_text(session, "session")); });
}

int assay_watcher_add(assay_watcher* watcher, const assay_history* fragment) {
  return done([&] {
    const assay::History& history = *given(fragment, "fragment").history;
    given(watcher, "watcher").watcher.add(history);
    watcher->transactions += history.transactions();
  });
}

assay_round* assay_watcher_decide(assay_watcher* watcher) {
  return guarded<assay_round*>(nullptr, [&] {
    auto decided = std::make_unique<assay_round>();
    decided->round = given(watcher, "watcher").watcher.decide();
    if (decided->round.verdict != watch::Verdict::violated) return decided.release();
    const watch::Violation violation{++watcher->violations, 0, watcher->transactions, decided->round};
    watch::ExaminedViolation examined = watch::examine(
        violation, watcher->options.level, std::chrono::nanoseconds(watcher->options.clock_drift));
    if (examined.found) decided->report = std::make_unique<assay_report>(std::move(*examined.found));
    return decided.release();
  });
}

uint64_t assay_watcher_kept(const assay_watcher* watcher) {
  return guarded(std::uint64_t{0}, [&] {
    const watch::Kept kept = given(watcher, "watcher").watcher.kept();
    return kept.live + kept.frozen;
  });
}

uint64_t assay_watcher_waiting(const assay_watcher* watcher) {
  return guarded(std::uint64_t{0}, [&] { return given(watcher, "watcher").watcher.kept().waiting; });
}

void assay_watcher_free(assay_watcher* watcher) {
  delete watcher;
}

assay_verdict assay_round_verdict(const assay_round* round) {
  return round == nullptr ? ASSAY_UNDECIDED : assay::api::verdict_of(round->round.verdict);
}

const char* assay_round_reason(const assay_round* round) {
  return round == nullptr ? "" : round->round.reason.c_str();
}

uint64_t assay_round_transactions(const assay_round* round) {
  return round == nullptr ? 0 : round->round.transactions;
}

int assay_round_more(const assay_round* round) {
  return round != nullptr && round->round.more ? 1 : 0;
}

assay_report* assay_round_report(assay_round* round) {
  return round == nullptr ? nullptr : round->report.get();
}

void assay_round_free(assay_round* round) {
  delete round;
}
