#include "audit/redo.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <stdexcept>

#include "audit/object/database.hpp"
#include "audit/object/key_value.hpp"
#include "audit/object/lock_table.hpp"
#include "audit/object/session.hpp"
#include "audit/operation_words.hpp"

namespace assay::audit {

void Results::reserve(const Reports& reports) {
  ids_.resize(reports.objects().size());
  for (std::size_t i = 0; i < ids_.size(); ++i) ids_[i].reserve(reports.objects()[i].log.size());
}

void Results::add(ObjectIndex object, const std::string& result) {
  auto known = known_.find(result);
  if (known == known_.end()) {
    kept_.push_back(result);
    results_.push_back(&kept_.back());
    known = known_.emplace(kept_.back(), static_cast<std::uint32_t>(results_.size() - 1)).first;
  }
  ids_[index(object)].push_back(known->second);
}

namespace {

Finding finding_of(const Object& object, const LoggedOperation& operation, const Step& step) {
  Finding finding;
  finding.reason =
      step.kind == Step::Kind::unsupported ? Reason::unsupported_operation : Reason::impossible_operation;
  finding.rid = operation.rid;
  finding.opnum = operation.opnum;
  finding.sentence = fmt::format("{} on {} {}", operation_name(operation.rid, operation.opnum),
                                 object_name(object), step.why);
  finding.found = operation_words(operation.type, operation.contents());
  return finding;
}

// What all objects have in common.
struct Surroundings {
  const Trace& trace;
  const InitialState& initial;
  const std::filesystem::path& folder;
  const SqliteLimits& limits;
  bool goes_on;
};

// One object and its log.
class ObjectRedo {
 public:
  // `before` is what the period before left of it, or null; `files` its files there.
  ObjectRedo(const Surroundings& around, const Object& object, std::uint32_t number,
             const CarriedObject* before, std::filesystem::path files)
      : around_(around), object_(object), number_(number), before_(before), files_(std::move(files)) {
    if (before_ != nullptr) gone_ = before_->gone;
    const std::vector<LoggedOperation>& log = object.log;
    while (before_ != nullptr && before_->last_seq && carried_ < log.size() &&
           log[carried_].seq <= *before_->last_seq) {
      ++carried_;
    }
    for (std::size_t i = 0; i < log.size(); ++i) {
      if (is_unended(log[i].rid)) last_[log[i].rid] = i;
    }
  }

  // How many operations the period before has performed; their results are known.
  std::size_t carried() const { return carried_; }

  // The first step that is not done ends it.
  std::optional<Finding> perform(Redone& redone) {
    if (is_idle()) return std::nullopt;
    machine_ = make_machine();
    for (std::size_t i = 0; i < carried_; ++i) let_go_after(i);
    std::string result;
    for (std::size_t i = carried_; i < object_.log.size(); ++i) {
      const LoggedOperation& operation = object_.log[i];
      result.clear();
      if (operation.outcome == 0) {
        const Step step = do_step(i, result);
        redone.undecided = step.kind == Step::Kind::unsupported;
        if (step.kind != Step::Kind::done) return finding_of(object_, operation, step);
      } else {
        machine_->skip({operation.rid, operation.type, operation.contents()});
        ++redone.not_performed;
      }
      redone.results.add(ObjectIndex{number_}, result);
      let_go_after(i);
    }
    return std::nullopt;
  }

  // The state at the end. Nothing, and `why`, if it cannot be told.
  std::optional<CarriedObject> save(const std::filesystem::path& files, std::string& why) {
    if (is_idle() && before_ != nullptr) return copy(files);
    if (!machine_) machine_ = make_machine();
    CarriedObject saved{object_.kind, object_.name, {}, gone_, {}};
    if (before_ != nullptr) saved.last_seq = before_->last_seq;
    if (object_.log.size() > carried_) saved.last_seq = object_.log.back().seq;
    if (const auto reason = machine_->save(saved.machine, files)) {
      why = *reason;
      return std::nullopt;
    }
    return saved;
  }

 private:
  bool is_unended(std::uint64_t rid) const {
    const auto request = around_.trace.find(rid);
    return request && around_.trace[*request].fate != Fate::whole;
  }
  // Whether it may do more in a period to come.
  bool goes_over(std::uint64_t rid) const {
    const auto request = around_.trace.find(rid);
    return around_.goes_on && request && around_.trace[*request].fate == Fate::open;
  }
  // Nothing happens to it in this period.
  bool is_idle() const {
    if (object_.log.size() > carried_) return false;
    return std::all_of(last_.begin(), last_.end(), [&](const auto& last) { return goes_over(last.first); });
  }

  std::unique_ptr<Machine> make_machine() const {
    const std::filesystem::path file = around_.folder / fmt::format("database-{}.sqlite", number_);
    if (before_ != nullptr) {
      wire::Cursor saved(before_->machine);
      auto machine = go_on(saved, file);
      if (!saved.finished()) throw std::runtime_error("the state of an object is malformed");
      return machine;
    }
    switch (object_.kind) {
      case wire::ObjectKind::key_value:
        return std::make_unique<KeyValueTable>();
      case wire::ObjectKind::session:
        return std::make_unique<Session>();
      case wire::ObjectKind::locks:
        return std::make_unique<LockTable>();
      case wire::ObjectKind::database:
        break;
    }
    const auto known = around_.initial.databases.find(object_.name);
    std::optional<std::filesystem::path> from;
    if (known != around_.initial.databases.end()) from = known->second;
    return std::make_unique<Database>(file, from, around_.limits);
  }

  std::unique_ptr<Machine> go_on(wire::Cursor& saved, const std::filesystem::path& file) const {
    switch (object_.kind) {
      case wire::ObjectKind::key_value:
        return std::make_unique<KeyValueTable>(saved);
      case wire::ObjectKind::session:
        return std::make_unique<Session>(saved);
      case wire::ObjectKind::locks:
        return std::make_unique<LockTable>(saved);
      case wire::ObjectKind::database:
        break;
    }
    return std::make_unique<Database>(file, saved, files_, around_.limits);
  }

  // A request that never ended has done its last operation here.
  void let_go_after(std::size_t position) {
    const std::uint64_t rid = object_.log[position].rid;
    const auto last = last_.find(rid);
    if (last != last_.end() && last->second == position && !goes_over(rid)) machine_->abandon(rid);
  }

  Step do_step(std::size_t position, std::string& result) {
    const LoggedOperation& operation = object_.log[position];
    if (gone_.contains(operation.rid))
      return Step::impossible("comes after another one that could only be done when this request was gone");
    const MachineOperation asked{operation.rid, operation.type, operation.contents()};
    Step step = machine_->step(asked, result);
    const auto may_be_gone = [&](std::uint64_t rid) {
      const auto last = last_.find(rid);
      return goes_over(rid) && last != last_.end() && last->second < position;
    };
    if (step.kind != Step::Kind::impossible || step.in_the_way.empty() ||
        !std::all_of(step.in_the_way.begin(), step.in_the_way.end(), may_be_gone)) {
      return step;
    }
    for (const std::uint64_t rid : step.in_the_way) {
      machine_->abandon(rid);
      gone_.insert(rid);
    }
    result.clear();
    return machine_->step(asked, result);
  }

  CarriedObject copy(const std::filesystem::path& files) const {
    const std::string name = files_.filename().string();
    for (const auto& entry : std::filesystem::directory_iterator(files_.parent_path())) {
      const std::string own = entry.path().filename().string();
      if (!own.starts_with(name + ".") && !own.starts_with(name + "-")) continue;
      std::filesystem::copy_file(entry.path(), files.string() + own.substr(name.size()));
    }
    return *before_;
  }

  const Surroundings& around_;
  const Object& object_;
  std::uint32_t number_;
  const CarriedObject* before_;
  std::filesystem::path files_;
  std::size_t carried_ = 0;
  std::unordered_map<std::uint64_t, std::size_t> last_;  // position of the last operation, of the unended
  std::set<std::uint64_t> gone_;
  std::unique_ptr<Machine> machine_;
};

// All objects, one after the other.
class WholeRedo {
 public:
  WholeRedo(const Surroundings& around, const Reports& reports, const std::filesystem::path& next)
      : around_(around), reports_(reports) {
    if (around.goes_on) redone_.next.emplace().folder = next;
    redone_.results.reserve(reports);
    if (!around.initial.carried) return;
    const Carried& before = *around.initial.carried;
    for (std::size_t i = 0; i < before.objects.size(); ++i)
      known_[{before.objects[i].kind, before.objects[i].name}] = i;
    results_.resize(before.objects.size());
    for (const CarriedOperation& operation : before.operations)
      results_[operation.object].push_back(&operation.result);
  }

  Redone run() {
    for (std::uint32_t o = 0; o < reports_.objects().size() && !redone_.finding; ++o) redo_object(o);
    if (redone_.next && !redone_.finding) keep_untouched();
    return std::move(redone_);
  }

 private:
  void redo_object(std::uint32_t number) {
    const Object& object = reports_.objects()[number];
    const auto known = known_.find({object.kind, object.name});
    const CarriedObject* before = nullptr;
    std::filesystem::path files;
    if (known != known_.end()) {
      before = &around_.initial.carried->objects[known->second];
      files = around_.initial.carried->files(known->second);
    }
    ObjectRedo redo(around_, object, number, before, files);
    for (std::size_t i = 0; i < redo.carried(); ++i)
      redone_.results.add(ObjectIndex{number}, *results_[known->second][i]);
    redone_.finding = redo.perform(redone_);
    if (redone_.next && !redone_.finding) save(redo, object, number);
  }

  void save(ObjectRedo& redo, const Object& object, std::uint32_t number) {
    Carried& next = *redone_.next;
    std::string why;
    auto saved = redo.save(next.files(next.objects.size()), why);
    if (!saved) {
      redone_.undecided = true;
      redone_.finding =
          Finding{Reason::unsupported_operation,
                  {},
                  {},
                  fmt::format("{} cannot be carried over at this cut: {}", object_name(object), why),
                  {},
                  {},
                  {}};
      return;
    }
    for (std::uint32_t i = 0; i < object.log.size(); ++i) {
      const LoggedOperation& op = object.log[i];
      const auto request = around_.trace.find(op.rid);
      if (!request || around_.trace[*request].fate != Fate::open) continue;
      next.operations.push_back({static_cast<std::uint32_t>(next.objects.size()), op.seq, op.rid, op.opnum,
                                 op.type, op.outcome, std::string(op.contents()),
                                 std::string(redone_.results[{ObjectIndex{number}, i}])});
    }
    next.objects.push_back(std::move(*saved));
  }

  // Databases that nobody has asked for yet.
  void keep_untouched() {
    Carried& next = *redone_.next;
    for (const auto& [name, file] : around_.initial.databases) {
      const auto same = [&name = name](const CarriedObject& object) {
        return object.kind == wire::ObjectKind::database && object.name == name;
      };
      if (std::any_of(next.objects.begin(), next.objects.end(), same)) continue;
      const std::string files = next.files(next.objects.size()).string() + ".sqlite";
      std::filesystem::copy_file(file, files);
      if (std::filesystem::exists(file.string() + "-wal"))
        std::filesystem::copy_file(file.string() + "-wal", files + "-wal");
      CarriedObject untouched{wire::ObjectKind::database, name, {}, {}, {}};
      wire::put_byte(untouched.machine, 1);
      wire::put_natural(untouched.machine, 0);
      next.objects.push_back(std::move(untouched));
    }
  }

  const Surroundings& around_;
  const Reports& reports_;
  Redone redone_;
  std::map<std::pair<wire::ObjectKind, std::string>, std::size_t> known_;  // of the carried objects
  std::vector<std::vector<const std::string*>> results_;  // of the carried operations, by object
};

}  // namespace

Redone redo(const Trace& trace, const Reports& reports, const InitialState& initial,
            const std::filesystem::path& folder, const SqliteLimits& limits,
            const std::filesystem::path& next) {
  const Surroundings around{trace, initial, folder, limits, !next.empty()};
  return WholeRedo(around, reports, next).run();
}

}  // namespace assay::audit
