// The C interface: histories in files.
#include <fmt/format.h>

#include <array>
#include <string_view>

#include "api/handle.hpp"
#include "format/format.hpp"

using assay::api::done;
using assay::api::given;
using assay::api::given_text;
using assay::api::guarded;
using assay::api::Misuse;

namespace format = assay::format;

namespace {

template <class Choice>
struct Named {
  std::string_view name;
  Choice choice;
};

constexpr std::array<Named<format::Initial>, 4> kInitial = {
    {{"auto", format::Initial::automatic},
     {"zero", format::Initial::zero},
     {"first-transaction", format::Initial::first_transaction},
     {"none", format::Initial::none}}};
constexpr std::array<Named<format::FailedStatements>, 2> kFailedStatements = {
    {{"unknown", format::FailedStatements::unknown}, {"drop", format::FailedStatements::drop}}};

// The choice of that name, the first for NULL.
template <class Choice, std::size_t kCount>
Choice chosen(const std::array<Named<Choice>, kCount>& choices, const char* name, const char* what) {
  if (name == nullptr) return choices[0].choice;
  std::string known;
  for (const Named<Choice>& each : choices) {
    if (each.name == name) return each.choice;
    known += (known.empty() ? "" : ", ") + std::string(each.name);
  }
  throw Misuse(fmt::format("{} cannot be '{}'; it is one of {}", what, name, known));
}

size_t count(const assay_history* history, std::uint32_t (assay::History::*counted)() const) {
  return guarded(size_t{0}, [&] { return size_t{(given(history, "history").history.get()->*counted)()}; });
}

}  // namespace

assay_history* assay_read(const char* path, const char* format) {
  return assay_read_with(path, format, nullptr, nullptr);
}

assay_history* assay_read_with(const char* path, const char* format, const char* initial,
                               const char* failed_statements) {
  return guarded<assay_history*>(nullptr, [&] {
    const format::ReadOptions how{chosen(kInitial, initial, "initial"),
                                  chosen(kFailedStatements, failed_statements, "failed_statements")};
    std::optional<std::string_view> named;
    if (format != nullptr) named = format;
    auto read = std::make_unique<assay_history>();
    read->history =
        std::make_shared<const assay::History>(format::read_history(given_text(path, "path"), how, named));
    return read.release();
  });
}

int assay_write(const assay_history* history, const char* path, const char* format) {
  return done([&] {
    format::write_history(*given(history, "history").history, given_text(path, "path"),
                          given_text(format, "format"));
  });
}

size_t assay_sessions(const assay_history* history) {
  return count(history, &assay::History::sessions);
}

size_t assay_transactions(const assay_history* history) {
  return count(history, &assay::History::transactions);
}

size_t assay_operations(const assay_history* history) {
  return count(history, &assay::History::operations);
}

size_t assay_keys(const assay_history* history) {
  return count(history, &assay::History::keys);
}

void assay_history_free(assay_history* history) {
  delete history;
}
