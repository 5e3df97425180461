#include "support/same_history.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <unordered_map>
#include <vector>

namespace assay::testing {

namespace {

const char* kind_name(OpKind kind) {
  switch (kind) {
    case OpKind::read:
      return "r";
    case OpKind::write:
      return "w";
    case OpKind::insert:
      return "insert";
    case OpKind::erase:
      return "erase";
    case OpKind::append:
      return "append";
    case OpKind::list_read:
      return "list";
    case OpKind::predicate_read:
      return "predicate";
    case OpKind::range_read:
      return "range";
    case OpKind::rows_read:
      return "rows";
  }
  return "?";
}

std::string spell(const Atom& atom) {
  return fmt::format("{}{}", static_cast<int>(atom.kind), to_json(atom));
}

std::string spell(const std::optional<Atom>& atom) {
  return atom ? spell(*atom) : "-";
}

// The versions an operation touches, in its own order.
std::vector<Version> versions_of(const History& h, Op op) {
  switch (h.kind(op)) {
    case OpKind::list_read: {
      const auto elements = h.list(op).elements;
      return {elements.begin(), elements.end()};
    }
    case OpKind::predicate_read:
    case OpKind::range_read:
    case OpKind::rows_read: {
      const auto results = h.query(op).results;
      return {results.begin(), results.end()};
    }
    default:
      return {h.version(op)};
  }
}

std::uint64_t mix(std::uint64_t hash, std::uint64_t value) {
  hash = (hash ^ value) * 0x9E3779B97F4A7C15ULL;
  return hash ^ (hash >> 29);
}

// Colours that any renaming keeps (Weisfeiler and Leman's refinement), to find which session can play which
// part.
class Colours {
 public:
  explicit Colours(const History& h)
      : h_(h), sessions_(h.sessions(), 1), keys_(h.keys(), 1), versions_(h.versions(), 2) {
    for (std::uint32_t k = 0; k < h.keys(); ++k) versions_[index(h.initial_version(Key{k}))] = 3;
    refine();
  }

  std::uint64_t session(std::uint32_t s) const { return sessions_[s]; }
  void single_out(std::uint32_t s, std::uint64_t turn) {
    sessions_[s] = mix(0x5151515151ULL, turn);
    singled_[s] = sessions_[s];
    refine();
  }

 private:
  void refine() {
    for (int round = 0; round < 6; ++round) {
      std::vector<std::vector<std::uint64_t>> seen(h_.versions());
      for (std::uint32_t s = 0; s < h_.sessions(); ++s) {
        std::uint64_t colour = singled_.contains(s) ? singled_[s] : 17;
        std::uint64_t place = 0;
        for (const Txn t : h_.transactions_of(Session{s})) {
          colour = mix(colour, 100 + static_cast<std::uint64_t>(h_.status(t)));
          for (const Op op : h_.operations_of(t)) {
            colour = mix(colour, 200 + static_cast<std::uint64_t>(h_.kind(op)));
            if (h_.kind(op) == OpKind::list_read) colour = mix(colour, keys_[index(h_.list(op).key)]);
            for (const Version v : versions_of(h_, op)) {
              colour = mix(mix(colour, keys_[index(h_.key_of(v))]), versions_[index(v)]);
              seen[index(v)].push_back(mix(sessions_[s], ++place));
            }
          }
        }
        next_.push_back(colour);
      }
      sessions_ = std::exchange(next_, {});
      for (std::uint32_t v = 0; v < h_.versions(); ++v) {
        std::sort(seen[v].begin(), seen[v].end());
        for (const std::uint64_t occurrence : seen[v]) versions_[v] = mix(versions_[v], occurrence);
      }
      for (std::uint32_t k = 0; k < h_.keys(); ++k) {
        std::vector<std::uint64_t> colours;
        for (const Version v : h_.versions_of(Key{k})) colours.push_back(versions_[index(v)]);
        std::sort(colours.begin(), colours.end());
        for (const std::uint64_t colour : colours) keys_[k] = mix(keys_[k], colour);
      }
    }
  }

  const History& h_;
  std::vector<std::uint64_t> sessions_, keys_, versions_, next_;
  std::map<std::uint32_t, std::uint64_t> singled_;
};

// The history with everything numbered by first appearance, sessions in the given order.
std::string numbered(const History& h, const std::vector<std::uint32_t>& sessions) {
  std::unordered_map<std::uint32_t, std::size_t> keys, versions;
  std::unordered_map<std::uint32_t, std::size_t> versions_in_key;
  const auto key = [&](Key k) { return keys.emplace(index(k), keys.size()).first->second; };
  const auto version = [&](Version v) -> std::string {
    const std::size_t k = key(h.key_of(v));
    if (h.is_initial(v)) return fmt::format("{}:initial", k);
    const auto [place, fresh] = versions.emplace(index(v), 0);
    if (fresh) place->second = ++versions_in_key[index(h.key_of(v))];
    return fmt::format("{}:{}", k, place->second);
  };
  std::string out;
  for (const std::uint32_t s : sessions) {
    if (h.transactions_of(Session{s}).empty()) continue;
    out += "session\n";
    for (const Txn t : h.transactions_of(Session{s})) {
      out += fmt::format(" {}", static_cast<int>(h.status(t)));
      for (const Op op : h.operations_of(t)) {
        out += fmt::format(" {}", kind_name(h.kind(op)));
        if (h.kind(op) == OpKind::list_read) out += fmt::format(" {}", key(h.list(op).key));
        if (is_query(h.kind(op))) {
          const Query q = h.query(op);
          out += fmt::format(" {} {} {}", spell(q.predicate), spell(q.low), spell(q.high));
        }
        for (const Version v : versions_of(h, op)) out += " " + version(v);
      }
      out += '\n';
    }
  }
  return out;
}

std::string canonical(const History& h) {
  Colours colours(h);
  std::vector<std::uint32_t> left(h.sessions()), order;
  std::iota(left.begin(), left.end(), 0U);
  while (!left.empty()) {
    std::sort(left.begin(), left.end(),
              [&](std::uint32_t a, std::uint32_t b) { return colours.session(a) < colours.session(b); });
    const bool tie = left.size() > 1 && colours.session(left[0]) == colours.session(left[1]);
    order.push_back(left[0]);
    left.erase(left.begin());
    if (tie) colours.single_out(order.back(), order.size());
  }
  return numbered(h, order);
}

}  // namespace

std::string describe(const History& h) {
  std::string out = fmt::format("clocks {}\n", h.clocks() == Clocks::one ? "one" : "several");
  for (const std::string& note : h.notes()) out += "note " + note + "\n";
  for (std::uint32_t s = 0; s < h.sessions(); ++s) {
    out += fmt::format("session {}\n", spell(h.name(Session{s})));
    for (const Txn t : h.transactions_of(Session{s})) {
      const auto time = [](std::optional<std::int64_t> at) { return at ? fmt::format("{}", *at) : "-"; };
      out += fmt::format(" {} status {} [{}, {}]", spell(h.name(t)), static_cast<int>(h.status(t)),
                         time(h.start(t)), time(h.end(t)));
      for (const Op op : h.operations_of(t)) {
        out += fmt::format("; {}", kind_name(h.kind(op)));
        if (h.kind(op) == OpKind::list_read) out += " of " + spell(h.name(h.list(op).key));
        if (is_query(h.kind(op))) {
          const Query q = h.query(op);
          out += fmt::format(" where {} from {} to {}", spell(q.predicate), spell(q.low), spell(q.high));
        }
        for (const Version v : versions_of(h, op)) {
          out += fmt::format(" {}={}", spell(h.name(h.key_of(v))),
                             h.is_initial(v) ? "initial" : spell(h.value(v)));
        }
      }
      out += '\n';
    }
  }
  return out;
}

::testing::AssertionResult same_up_to_names(const History& a, const History& b) {
  const auto given = [](const History& h) {
    std::vector<std::uint32_t> order(h.sessions());
    std::iota(order.begin(), order.end(), 0U);
    return numbered(h, order);
  };
  if (given(a) == given(b)) return ::testing::AssertionSuccess();
  const std::string left = canonical(a), right = canonical(b);
  if (left == right) return ::testing::AssertionSuccess();
  const auto differ = std::mismatch(left.begin(), left.end(), right.begin(), right.end());
  const auto at = static_cast<std::size_t>(differ.first - left.begin());
  const auto line = [&](const std::string& text) {
    const std::size_t start = text.rfind('\n', at == 0 ? 0 : at - 1);
    return text.substr(start == std::string::npos ? 0 : start + 1, 200);
  };
  return ::testing::AssertionFailure() << "the histories differ:\n" << line(left) << "\nand\n" << line(right);
}

}  // namespace assay::testing
