// What the functions of the C interface share: its handles, and how exceptions become return values.
#pragma once

#include <exception>
#include <memory>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "assay/assay.h"
#include "evidence/examine.hpp"
#include "history/builder.hpp"
#include "history/history.hpp"

struct assay_history {
  std::shared_ptr<const assay::History> history;  // never null
};

struct assay_options {
  assay::evidence::ExamineOptions examine;
};

struct assay_report {
  explicit assay_report(assay::evidence::Examination examination)
      : found(std::move(examination)),
        explanations(found.outcomes.size()),
        certificates(found.outcomes.size()) {}

  assay::evidence::Examination found;
  // Written when they are first asked for.
  std::optional<std::string> text, json, page, dot, junit;
  std::vector<std::optional<std::string>> explanations, certificates;
};

namespace assay::api {

// The caller made a mistake; the message is for him.
struct Misuse : std::runtime_error {
  using std::runtime_error::runtime_error;
};

void forget_error() noexcept;
// No exception may cross into C; even telling of it must not fail.
void remember_error(const char* what) noexcept;

// What `call` returns, or `failed` if it throws.
template <class Result, class Call>
Result guarded(Result failed, const Call& call) noexcept {
  try {
    forget_error();
    return call();
  } catch (const std::bad_alloc&) {
    remember_error("out of memory");
  } catch (const std::exception& error) {
    remember_error(error.what());
  } catch (...) {
    remember_error("an unknown error");
  }
  return failed;
}

// The same for what returns 0 or -1.
template <class Call>
int done(const Call& call) noexcept {
  return guarded(-1, [&] {
    call();
    return 0;
  });
}

template <class Pointed>
Pointed& given(Pointed* argument, const char* name) {
  if (argument == nullptr) throw Misuse(std::string(name) + " is NULL");
  return *argument;
}

inline const char* given_text(const char* argument, const char* name) {
  return &given(argument, name);
}

Level level_named(const char* name);
assay_verdict verdict_of(check::Verdict verdict);

}  // namespace assay::api
