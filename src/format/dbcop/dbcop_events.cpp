#include "format/dbcop/dbcop_events.hpp"

#include "system/input_error.hpp"

namespace assay::format {

void DbcopEvents::refuse(const std::string& what) const {
  throw InputError(path_, "", "dbcop's formats cannot express " + what);
}

DbcopEvent DbcopEvents::of(Op op) const {
  switch (history_.kind(op)) {
    case OpKind::read:
    case OpKind::write:
    case OpKind::insert:
      break;  // an insert is a write there
    case OpKind::erase:
      refuse("a delete");
    case OpKind::append:
    case OpKind::list_read:
      refuse("an operation on a list");
    case OpKind::predicate_read:
    case OpKind::range_read:
    case OpKind::rows_read:
      refuse("a predicate or range read");
  }
  DbcopEvent event;
  event.write = history_.kind(op) != OpKind::read;
  event.variable = history_.name(history_.key(op));
  const bool negative =
      event.variable.kind == AtomKind::integer && static_cast<std::int64_t>(event.variable.bits) < 0;
  if (negative || event.variable.kind == AtomKind::json) refuse("the key " + to_json(event.variable));
  const Version version = history_.version(op);
  if (history_.is_initial(version)) return event;
  event.version = history_.value(version);
  const AtomKind kind = event.version->kind;
  if ((kind != AtomKind::integer && kind != AtomKind::natural) ||
      (kind == AtomKind::integer && static_cast<std::int64_t>(event.version->bits) < 0)) {
    refuse("the value " + to_json(*event.version) + ": versions are natural numbers");
  }
  return event;
}

bool DbcopEvents::committed(Txn t) const {
  if (history_.status(t) == Status::unknown) refuse("a transaction of unknown fate");
  return history_.status(t) == Status::committed;
}

}  // namespace assay::format
