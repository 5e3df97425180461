// The public C interface: the C++ one behind handles, with exceptions turned into return values.
#include <cmath>
#include <exception>
#include <new>
#include <string>

#include "assay/assay.h"
#include "assay/assay.hpp"

namespace api = assay::api;

struct assay_builder {
  api::Builder builder;
};
struct assay_history {
  api::History history;
};
struct assay_report {
  api::Report report;
};

namespace {

thread_local std::string last_error;

// No exception may cross into C; even telling of it must not fail.
void remember(const char* what) noexcept {
  try {
    last_error = what;
  } catch (...) {
    last_error.clear();
  }
}

template <class Result, class Call>
Result guarded(Result failed, Call call) noexcept {
  try {
    last_error.clear();
    return call();
  } catch (const std::bad_alloc&) {
    remember("out of memory");
  } catch (const std::exception& error) {
    remember(error.what());
  } catch (...) {
    remember("an unknown error");
  }
  return failed;
}

const char* text(const char* argument, const char* name) {
  if (argument == nullptr) throw api::Error(std::string(name) + " is NULL");
  return argument;
}

template <class Handle>
Handle& handle(Handle* given) {
  if (given == nullptr) throw api::Error("the handle is NULL");
  return *given;
}

template <class Call>
int add(assay_builder* builder, Call call) noexcept {
  return guarded(-1, [&] {
    call(handle(builder).builder);
    return 0;
  });
}

int end(assay_builder* builder, assay_fate fate, const api::Times& times) noexcept {
  return add(builder, [&](api::Builder& build) {
    switch (fate) {
      case ASSAY_COMMITTED:
        build.commit(times);
        return;
      case ASSAY_ABORTED:
        build.abort(times);
        return;
      case ASSAY_UNKNOWN:
        build.unknown(times);
        return;
    }
    throw api::Error("fate is none of ASSAY_COMMITTED, ASSAY_ABORTED, ASSAY_UNKNOWN");
  });
}

}  // namespace

const char* assay_version(void) {
  return ASSAY_VERSION;
}

const char* assay_error(void) {
  return last_error.c_str();
}

assay_history* assay_read(const char* path, const char* format) {
  return guarded<assay_history*>(nullptr, [&] {
    api::ReadOptions options;
    if (format != nullptr) options.format = format;
    return new assay_history{api::read(text(path, "path"), options)};
  });
}

int assay_write(const assay_history* history, const char* path, const char* format) {
  return guarded(-1, [&] {
    handle(history).history.write(text(path, "path"), text(format, "format"));
    return 0;
  });
}

size_t assay_transactions(const assay_history* history) {
  return guarded(size_t{0}, [&] { return handle(history).history.transactions(); });
}

void assay_history_free(assay_history* history) {
  delete history;
}

assay_builder* assay_builder_new(void) {
  return guarded<assay_builder*>(nullptr, [] { return new assay_builder; });
}

int assay_begin(assay_builder* builder, int64_t session, int64_t transaction) {
  return add(builder, [&](api::Builder& build) { build.begin(session, transaction); });
}

int assay_add_read(assay_builder* builder, int64_t key, int64_t value) {
  return add(builder, [&](api::Builder& build) { build.read(key, value); });
}

int assay_add_read_initial(assay_builder* builder, int64_t key) {
  return add(builder, [&](api::Builder& build) { build.read_initial(key); });
}

int assay_add_write(assay_builder* builder, int64_t key, int64_t value) {
  return add(builder, [&](api::Builder& build) { build.write(key, value); });
}

int assay_add_read_text(assay_builder* builder, const char* key, const char* value) {
  return add(builder, [&](api::Builder& build) { build.read(text(key, "key"), text(value, "value")); });
}

int assay_add_read_initial_text(assay_builder* builder, const char* key) {
  return add(builder, [&](api::Builder& build) { build.read_initial(text(key, "key")); });
}

int assay_add_write_text(assay_builder* builder, const char* key, const char* value) {
  return add(builder, [&](api::Builder& build) { build.write(text(key, "key"), text(value, "value")); });
}

int assay_end(assay_builder* builder, assay_fate fate) {
  return end(builder, fate, {});
}

int assay_end_at(assay_builder* builder, assay_fate fate, int64_t start, int64_t end_time) {
  return end(builder, fate, {start, end_time});
}

assay_history* assay_finish(assay_builder* builder) {
  return guarded<assay_history*>(nullptr,
                                 [&] { return new assay_history{handle(builder).builder.finish()}; });
}

void assay_builder_free(assay_builder* builder) {
  delete builder;
}

assay_report* assay_check(const assay_history* history, const char* level, double timeout_seconds) {
  return guarded<assay_report*>(nullptr, [&] {
    api::Options options;
    if (!(timeout_seconds >= 0)) throw api::Error("timeout_seconds is negative or not a number");
    if (timeout_seconds > 0 && std::isfinite(timeout_seconds)) options.timeout_seconds = timeout_seconds;
    return new assay_report{api::check(handle(history).history, {text(level, "level")}, options)};
  });
}

assay_verdict assay_report_verdict(const assay_report* report) {
  if (report == nullptr) return ASSAY_UNDECIDED;
  switch (report->report.results.front().verdict) {
    case api::Verdict::holds:
      return ASSAY_HOLDS;
    case api::Verdict::violated:
      return ASSAY_VIOLATED;
    case api::Verdict::undecided:
      break;
  }
  return ASSAY_UNDECIDED;
}

const char* assay_report_text(const assay_report* report) {
  return report == nullptr ? "" : report->report.text.c_str();
}

const char* assay_report_json(const assay_report* report) {
  return report == nullptr ? "" : report->report.json.c_str();
}

void assay_report_free(assay_report* report) {
  delete report;
}
