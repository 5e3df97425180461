#include "report/words/deed_words.hpp"

#include <fmt/format.h>

#include "report/printable.hpp"
#include "report/words/value_words.hpp"

namespace assay::report {

namespace {

// Of a list or a query result, in a sentence. What is new in a list stands at its end.
constexpr std::size_t kMostElements = 12, kFirstElements = 4, kLastElements = 7;

std::string bound(const std::optional<Atom>& atom) {
  return atom ? printable(*atom) : "";
}

}  // namespace

std::string elements(const History& history, std::span<const Version> versions, bool with_keys) {
  std::string out = "[";
  const auto add = [&](Version v) {
    if (out.size() > 1) out += ",";
    if (with_keys) out += printable(history.name(history.key_of(v))) + "=";
    out += history.is_initial(v) ? "initial" : value_told(history, v);
  };
  if (versions.size() <= kMostElements) {
    for (const Version v : versions) add(v);
    return out + "]";
  }
  for (const Version v : versions.first(kFirstElements)) add(v);
  out += fmt::format(",… {} more …", versions.size() - kFirstElements - kLastElements);
  for (const Version v : versions.last(kLastElements)) add(v);
  return out + "]";
}

std::string value_of(const History& history, Version version) {
  return history.is_initial(version) ? "the initial value" : value_told(history, version);
}

std::string operation(const History& history, Op op) {
  const auto simple = [&](std::string_view verb) {
    const Version version = history.version(op);
    return fmt::format("{}({})={}", verb, printable(history.name(history.key(op))),
                       history.is_initial(version) ? "initial" : value_told(history, version));
  };
  switch (history.kind(op)) {
    case OpKind::read:
      return simple("r");
    case OpKind::write:
      return simple("w");
    case OpKind::insert:
      return simple("insert");
    case OpKind::append:
      return simple("append");
    case OpKind::erase:
      return fmt::format("delete({})", printable(history.name(history.key(op))));
    case OpKind::list_read: {
      const ListRead list = history.list(op);
      return fmt::format("r({})={}", printable(history.name(list.key)),
                         elements(history, list.elements, false));
    }
    case OpKind::predicate_read: {
      const Query query = history.query(op);
      return fmt::format("where({})={}", bound(query.predicate), elements(history, query.results, true));
    }
    case OpKind::range_read: {
      const Query query = history.query(op);
      return fmt::format("range({}..{})={}", bound(query.low), bound(query.high),
                         elements(history, query.results, true));
    }
    case OpKind::rows_read:
      return "rows=" + elements(history, history.query(op).results, true);
  }
  return "";
}

}  // namespace assay::report
