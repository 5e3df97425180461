// Every verdict comes with a certificate that the verifier accepts, every counterexample is a violation of
// its own and would be none without any one of its transactions, and no changed certificate gets a false
// verdict accepted.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <map>

#include "check/check.hpp"
#include "evidence/certificate.hpp"
#include "evidence/counterexample.hpp"
#include "evidence/verify.hpp"
#include "history/error.hpp"
#include "history/sub_history.hpp"
#include "support/brute_force.hpp"
#include "support/draw.hpp"
#include "support/neutral.hpp"
#include "support/random_history.hpp"

namespace assay::evidence {
namespace {

using check::Outcome;
using check::Verdict;

struct Tally {
  std::uint64_t held = 0, violated = 0, undecided = 0;
};

History part_of(const History& h, Level level, const std::vector<Txn>& set) {
  return sub_history(h, set,
                     implies(level, Level::prefix) ? ListPart::of_members : ListPart::if_source_is_member)
      .history;
}

// What is wrong with the evidence of this verdict; empty if nothing.
std::string fault(const History& h, const Outcome& outcome, const check::Options& options) {
  if (outcome.verdict == Verdict::undecided) return "";
  const Reading reading{.session_order = options.sessions == check::SessionOrder::keep,
                        .drift = options.clock_drift.value_or(std::chrono::nanoseconds(0))};
  Counterexample found;
  const bool violated = outcome.verdict == Verdict::violated;
  if (violated) {
    found = find_counterexample(h, outcome, options);
    if (!found.minimal) return "not minimal";
    if (brute_force(part_of(h, outcome.level, found.transactions), outcome.level, reading)) {
      return "the counterexample is none";
    }
    for (std::size_t i = 0; i < found.transactions.size(); ++i) {
      std::vector<Txn> rest = found.transactions;
      rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(i));
      if (!brute_force(part_of(h, outcome.level, rest), outcome.level, reading)) {
        return "the counterexample can do without one of its transactions";
      }
    }
  }
  const auto text = certificate(h, outcome, violated ? &found : nullptr, options);
  if (!text) return "no certificate";
  const Verification verification = verify(*text, "test", h);
  if (!verification.accepted) return "the certificate is rejected: " + verification.reason + "\n" + *text;
  if (verification.holds == violated || verification.level != outcome.level)
    return "the certificate says something else";
  return "";
}

check::Options random_options(Rng& rng) {
  check::Options options;
  options.sessions = rng.chance(0.2) ? check::SessionOrder::ignore : check::SessionOrder::keep;
  options.clock_drift = std::chrono::nanoseconds(rng.chance(0.5) ? 0 : 1);
  return options;
}

void prove_all(const Shape& shape, std::uint64_t cases) {
  const std::uint64_t seed = random_seed();
  std::map<Level, Tally> tally;
  for (std::uint64_t i = 0; i < cases; ++i) {
    Rng rng(seed + i);
    const History h = random_history(rng, shape);
    const check::Options options = random_options(rng);
    for (const LevelInfo& level : levels()) {
      const std::array<Level, 1> asked{level.level};
      const auto wrong = [&](const History& g) {
        const Outcome outcome = std::move(check::check(g, asked, options)[0]);
        return fault(g, outcome, options);
      };
      const Outcome outcome = std::move(check::check(h, asked, options)[0]);
      Tally& seen = tally[level.level];
      ++(outcome.verdict == Verdict::holds      ? seen.held
         : outcome.verdict == Verdict::violated ? seen.violated
                                                : seen.undecided);
      if (fault(h, outcome, options).empty()) continue;
      const History small = shrink(h, [&](const History& g) { return !wrong(g).empty(); });
      FAIL() << "seed " << seed + i << ", " << level.name
             << (options.sessions == check::SessionOrder::keep ? "" : ", sessions ignored") << "\n"
             << drawing(small) << "\n"
             << wrong(small);
    }
  }
  for (const auto& [level, seen] : tally) {
    std::printf("%s: %llu hold, %llu violated, %llu undecided\n", std::string(info(level).name).c_str(),
                static_cast<unsigned long long>(seen.held), static_cast<unsigned long long>(seen.violated),
                static_cast<unsigned long long>(seen.undecided));
  }
}

TEST(EvidenceRandom, ProvesEveryVerdictOnRegisters) {
  Shape shape;
  shape.times = true;
  prove_all(shape, random_cases(300));
}

TEST(EvidenceRandom, ProvesEveryVerdictOnEverything) {
  Shape shape = shape_with_everything();
  shape.times = true;
  prove_all(shape, random_cases(300));
}

TEST(EvidenceRandom, ProvesEveryVerdictOnLists) {
  Shape shape = shape_of_lists();
  shape.times = true;
  prove_all(shape, random_cases(300));
}

TEST(EvidenceRandom, ProvesEveryVerdictOnManyCandidates) {
  Shape shape = shape_with_everything();
  shape.duplicates = 0.6;
  shape.unknown = 0.3;
  shape.times = true;
  prove_all(shape, random_cases(100));
}

TEST(EvidenceRandom, ProvesEveryVerdictOnLongSessions) {
  Shape shape;
  shape.max_transactions = 9;
  shape.max_sessions = 3;
  shape.max_operations = 3;
  shape.times = true;
  prove_all(shape, random_cases(100));
}

TEST(EvidenceRandom, ProvesEveryVerdictOnThePublicHistories) {
  for (const char* folder : {"made", "random"}) {
    const std::vector<Label> labels = labels_of(folder);
    if (labels.empty()) GTEST_SKIP() << "no public histories here";
    for (const Label& label : labels) {
      const std::string path = shared_histories() + "/" + label.path;
      if (!label.path.ends_with(".jsonl")) continue;
      const History h = read_neutral(path);
      const std::array<Level, 1> asked{label.level};
      const check::Options options;
      const Outcome outcome = std::move(check::check(h, asked, options)[0]);
      EXPECT_EQ(outcome.verdict, label.satisfies ? Verdict::holds : Verdict::violated) << label.path;
      EXPECT_EQ(fault(h, outcome, options), "") << label.path << " " << info(label.level).name;
    }
  }
}

// --- somebody changes a certificate ---

std::string with_sum(const std::string& body) {
  std::uint64_t sum = 0xCBF29CE484222325ULL;
  for (const char c : body) sum = (sum ^ static_cast<unsigned char>(c)) * 0x100000001B3ULL;
  std::array<char, 17> digits{};
  std::snprintf(digits.data(), digits.size(), "%016llx", static_cast<unsigned long long>(sum));
  const auto lines = std::count(body.begin(), body.end(), '\n');
  return body + "end " + std::to_string(lines) + " " + digits.data() + "\n";
}

std::string body_of(const std::string& certificate) {
  return certificate.substr(0, certificate.rfind("end "));
}

bool accepted(const std::string& text, const History& h) {
  try {
    return verify(text, "test", h).accepted;
  } catch (const InputError&) {
    return false;
  }
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}
std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

// A word of the certificate changed to another of its kind.
std::string changed(Rng& rng, const std::string& word, const std::vector<std::string>& all_words) {
  if (rng.chance(0.4)) return all_words[rng.below(static_cast<std::uint32_t>(all_words.size()))];
  std::string out = word;
  for (char& c : out) {
    if (c >= '0' && c <= '9' && rng.chance(0.7)) {
      c = static_cast<char>('0' + rng.below(6));
      return out;
    }
    if ((c == 'b' || c == 'c') && rng.chance(0.5)) {
      c = c == 'b' ? 'c' : 'b';
      return out;
    }
  }
  return out;
}

std::vector<std::string> words_of(const std::string& line) {
  std::vector<std::string> words;
  for (std::size_t at = 0; at <= line.size();) {
    const std::size_t end = std::min(line.find(' ', at), line.size());
    words.push_back(line.substr(at, end - at));
    at = end + 1;
  }
  return words;
}

std::string mutated(Rng& rng, const std::string& body) {
  std::vector<std::string> lines = lines_of(body);
  const std::uint32_t line = rng.between(1, static_cast<std::uint32_t>(lines.size()) - 1);
  switch (rng.below(5)) {
    case 0:
      lines.erase(lines.begin() + line);
      break;
    case 1:
      std::swap(lines[line], lines[rng.between(1, static_cast<std::uint32_t>(lines.size()) - 1)]);
      break;
    default: {
      std::vector<std::string> all_words;
      for (const std::string& l : lines) {
        for (const std::string& w : words_of(l)) all_words.push_back(w);
      }
      for (const LevelInfo& level : levels()) all_words.emplace_back(level.name);
      std::vector<std::string> words = words_of(lines[line]);
      std::string& word = words[rng.below(static_cast<std::uint32_t>(words.size()))];
      word = changed(rng, word, all_words);
      lines[line].clear();
      for (const std::string& w : words) lines[line] += (lines[line].empty() ? "" : " ") + w;
    }
  }
  return joined(lines);
}

// Whoever changes a certificate and repairs its sum can at best make another true statement.
void tamper(const Shape& shape, std::uint64_t cases) {
  const std::uint64_t seed = random_seed();
  std::uint64_t rejected = 0, still_true = 0;
  for (std::uint64_t i = 0; i < cases; ++i) {
    Rng rng(seed + i);
    const History h = random_history(rng, shape);
    const check::Options options = random_options(rng);
    const Level level = levels()[rng.below(kLevels)].level;
    const std::array<Level, 1> asked{level};
    const Outcome outcome = std::move(check::check(h, asked, options)[0]);
    if (outcome.verdict == Verdict::undecided) continue;
    Counterexample found;
    if (outcome.verdict == Verdict::violated) found = find_counterexample(h, outcome, options);
    const auto text = certificate(h, outcome, &found, options);
    if (!text) continue;
    const std::string body = body_of(*text);
    for (int tries = 0; tries < 30; ++tries) {
      std::string other = mutated(rng, body);
      if (rng.chance(0.3)) other = mutated(rng, other);
      if (other == body) continue;
      ASSERT_FALSE(accepted(other + text->substr(body.size()), h)) << "without a new sum";
      const std::string signed_again = with_sum(other);
      if (!accepted(signed_again, h)) {
        ++rejected;
        continue;
      }
      ++still_true;
      const Verification claim = verify(signed_again, "test", h);
      const bool holds =
          brute_force(h, claim.level, {.session_order = claim.keep_sessions, .drift = claim.clock_drift});
      ASSERT_EQ(claim.holds, holds) << "seed " << seed + i << "\n" << drawing(h) << "\n" << signed_again;
    }
  }
  std::printf("%llu changed certificates rejected, %llu still true\n",
              static_cast<unsigned long long>(rejected), static_cast<unsigned long long>(still_true));
  if (cases >= 50) {
    EXPECT_GT(rejected, still_true);
  }
}

TEST(EvidenceRandom, AChangedCertificateProvesNothingFalse) {
  Shape shape;
  shape.times = true;
  tamper(shape, random_cases(200));
  Shape everything = shape_with_everything();
  everything.times = true;
  tamper(everything, random_cases(200));
  Shape lists = shape_of_lists();
  lists.times = true;
  tamper(lists, random_cases(200));
}

}  // namespace
}  // namespace assay::evidence
