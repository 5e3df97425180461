/* Assay for C programs, and for everything that can call C: did a database keep its isolation level, judged by
 * what its clients sent and saw?
 *
 * Functions that can fail return NULL or a negative number; assay_error() then tells why, in this thread,
 * until the next call of the library. Every handle has one function that frees it, which accepts NULL. Texts
 * are UTF-8 and end in a zero byte; texts that are returned belong to the handle they were asked of. Different
 * handles may be used by different threads, one handle by one thread at a time.
 *
 * The names that libassay.so exports are those declared here, in the symbol version ASSAY_0: what is there stays
 * as it is until the library is called libassay.so.1. */
#ifndef ASSAY_H
#define ASSAY_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define ASSAY_PUBLIC __attribute__((visibility("default")))
#else
#define ASSAY_PUBLIC
#endif

typedef struct assay_builder assay_builder;
typedef struct assay_history assay_history;
typedef struct assay_options assay_options;
typedef struct assay_report assay_report;
typedef struct assay_verification assay_verification;
typedef struct assay_watcher assay_watcher;
typedef struct assay_round assay_round;

typedef enum { ASSAY_HOLDS = 0, ASSAY_VIOLATED = 1, ASSAY_UNDECIDED = 2 } assay_verdict;
/* Unknown: the client never learned. */
typedef enum { ASSAY_COMMITTED = 0, ASSAY_ABORTED = 1, ASSAY_UNKNOWN = 2 } assay_fate;

/* The version of the library, as "1.2.3". */
ASSAY_PUBLIC const char* assay_version(void);
/* Never NULL; empty if the last call in this thread succeeded. */
ASSAY_PUBLIC const char* assay_error(void);

/* ---- Levels ---- */

ASSAY_PUBLIC size_t assay_levels(void);
/* NULL past the last. */
ASSAY_PUBLIC const char* assay_level_name(size_t index);
ASSAY_PUBLIC const char* assay_level_promise(size_t index);

/* ---- Values: keys, what is written and read, names of sessions and transactions ---- */

/* The number 1 and the text "1" differ; the integer 1 and the natural 1 do not. */
typedef enum { ASSAY_NOTHING = 0, ASSAY_INTEGER = 1, ASSAY_NATURAL = 2, ASSAY_TEXT = 3 } assay_kind;

typedef struct {
  int32_t kind;     /* an assay_kind */
  uint64_t number;  /* of an integer: in two's complement */
  const char* text; /* needs no zero byte at its end; borrowed only for the call */
  size_t size;
} assay_value;

static inline assay_value assay_nothing(void) {
  const assay_value value = {ASSAY_NOTHING, 0, NULL, 0};
  return value;
}
static inline assay_value assay_integer(int64_t number) {
  const assay_value value = {ASSAY_INTEGER, (uint64_t)number, NULL, 0};
  return value;
}
static inline assay_value assay_natural(uint64_t number) {
  const assay_value value = {ASSAY_NATURAL, number, NULL, 0};
  return value;
}
static inline assay_value assay_text(const char* text) {
  const assay_value value = {ASSAY_TEXT, 0, text, text == NULL ? 0 : strlen(text)};
  return value;
}

/* ---- Histories ---- */

/* A history from a file or directory; format may be NULL: then the content tells. */
ASSAY_PUBLIC assay_history* assay_read(const char* path, const char* format);
/* The same for files whose format leaves something open. initial: "auto", "zero", "first-transaction", "none";
 * failed_statements: "unknown", "drop". The first of each if NULL. */
ASSAY_PUBLIC assay_history* assay_read_with(const char* path, const char* format, const char* initial,
                                            const char* failed_statements);
/* 0, or -1. */
ASSAY_PUBLIC int assay_write(const assay_history* history, const char* path, const char* format);
ASSAY_PUBLIC size_t assay_sessions(const assay_history* history);
ASSAY_PUBLIC size_t assay_transactions(const assay_history* history);
ASSAY_PUBLIC size_t assay_operations(const assay_history* history);
ASSAY_PUBLIC size_t assay_keys(const assay_history* history);
ASSAY_PUBLIC void assay_history_free(assay_history* history);

/* ---- Histories put together by hand ---- */

/* Between begin and end come the operations of one transaction, in order. Transactions of different sessions may
 * come in any order, those of one session in theirs. All that return int return 0, or -1 and change nothing. */
ASSAY_PUBLIC assay_builder* assay_builder_new(void);
ASSAY_PUBLIC int assay_begin(assay_builder* builder, int64_t session, int64_t transaction);
ASSAY_PUBLIC int assay_begin_named(assay_builder* builder, const assay_value* session,
                                   const assay_value* transaction);

typedef enum {
  ASSAY_READ = 0,   /* of value; NULL: the client found nothing written yet */
  ASSAY_WRITE = 1,  /* of value */
  ASSAY_INSERT = 2, /* a write that creates the key */
  ASSAY_ERASE = 3,  /* NULL: nothing is left; else value is a tombstone of its own, which a read may return */
  ASSAY_APPEND = 4  /* of value, to the list of that key */
} assay_operation;
ASSAY_PUBLIC int assay_add(assay_builder* builder, assay_operation operation, const assay_value* key,
                           const assay_value* value);
/* The list of a key, as it was read. */
ASSAY_PUBLIC int assay_add_list_read(assay_builder* builder, const assay_value* key,
                                     const assay_value* elements, size_t count);

typedef struct {
  assay_value key;
  assay_value value; /* ASSAY_NOTHING: the row was there before the first transaction */
} assay_row;
/* All rows from low to high, both included; NULL: no bound. */
ASSAY_PUBLIC int assay_add_range_read(assay_builder* builder, const assay_value* low, const assay_value* high,
                                      const assay_row* rows, size_t count);
/* All rows that match the predicate: "value >= 10 and value < 20", or any name (see docs/formats.md). */
ASSAY_PUBLIC int assay_add_predicate_read(assay_builder* builder, const assay_value* predicate,
                                          const assay_row* rows, size_t count);
/* The key had a row before the first transaction. */
ASSAY_PUBLIC int assay_add_initial_row(assay_builder* builder, const assay_value* key);

/* The same for numbers and for texts that end in a zero byte. */
ASSAY_PUBLIC int assay_add_read(assay_builder* builder, int64_t key, int64_t value);
ASSAY_PUBLIC int assay_add_read_initial(assay_builder* builder, int64_t key);
ASSAY_PUBLIC int assay_add_write(assay_builder* builder, int64_t key, int64_t value);
ASSAY_PUBLIC int assay_add_read_text(assay_builder* builder, const char* key, const char* value);
ASSAY_PUBLIC int assay_add_read_initial_text(assay_builder* builder, const char* key);
ASSAY_PUBLIC int assay_add_write_text(assay_builder* builder, const char* key, const char* value);

ASSAY_PUBLIC int assay_end(assay_builder* builder, assay_fate fate);
/* With start and end in nanoseconds, for the levels with real time; ASSAY_NO_TIME: not known. */
#define ASSAY_NO_TIME INT64_MIN
ASSAY_PUBLIC int assay_end_at(assay_builder* builder, assay_fate fate, int64_t start, int64_t end);
/* The times are of clocks that may disagree. Without this call they are of one clock. */
ASSAY_PUBLIC int assay_several_clocks(assay_builder* builder);
/* The history; the builder is empty again and must still be freed. */
ASSAY_PUBLIC assay_history* assay_finish(assay_builder* builder);
ASSAY_PUBLIC void assay_builder_free(assay_builder* builder);

/* ---- What is asked for besides the levels ---- */

/* All that return int return 0, or -1 and change nothing. */
ASSAY_PUBLIC assay_options* assay_options_new(void);
/* Whether the order of transactions in a session counts; it does if nothing is said. */
ASSAY_PUBLIC int assay_set_session_order(assay_options* options, int counts);
/* By how much clocks may disagree, for the levels with real time. */
ASSAY_PUBLIC int assay_set_clock_drift(assay_options* options, int64_t nanoseconds);
/* 0: no limit, as if nothing is said. Past a limit the verdict is "undecided". */
ASSAY_PUBLIC int assay_set_timeout(assay_options* options, double seconds);
/* Of the whole process. */
ASSAY_PUBLIC int assay_set_memory(assay_options* options, size_t bytes);
ASSAY_PUBLIC int assay_set_threads(assay_options* options, unsigned threads);
/* "auto", or "width" or "sat": a slower second opinion on a small history. */
ASSAY_PUBLIC int assay_set_method(assay_options* options, const char* method);
/* Where fewer transactions committed, "holds" says too little: it is "undecided". */
ASSAY_PUBLIC int assay_require_committed(assay_options* options, uint64_t transactions);
ASSAY_PUBLIC void assay_options_free(assay_options* options);

/* ---- Verdicts ---- */

/* Checks one level, by name or alias. timeout_seconds of 0 means no limit. */
ASSAY_PUBLIC assay_report* assay_check(const assay_history* history, const char* level,
                                       double timeout_seconds);
/* Checks several levels; options may be NULL. */
ASSAY_PUBLIC assay_report* assay_check_levels(const assay_history* history, const char* const* levels,
                                              size_t count, const assay_options* options);
/* Of all levels: violated if one is, else undecided if one is. NULL is undecided. */
ASSAY_PUBLIC assay_verdict assay_report_verdict(const assay_report* report);
/* How many levels were asked for, and what was found about each, in the order asked. */
ASSAY_PUBLIC size_t assay_report_levels(const assay_report* report);
ASSAY_PUBLIC const char* assay_report_level(const assay_report* report, size_t index);
ASSAY_PUBLIC assay_verdict assay_report_level_verdict(const assay_report* report, size_t index);
/* Violated: why, in sentences; undecided: the reason; holds: empty. NULL: there is no such level. */
ASSAY_PUBLIC const char* assay_report_explanation(assay_report* report, size_t index);
/* The strongest of the asked levels that hold; NULL if none does. */
ASSAY_PUBLIC const char* assay_report_strongest(const assay_report* report);
/* What `assay check` prints, and what it prints with --json; the web page of --report, the graph of --dot, the
 * test cases of --junit. NULL if there is not enough memory. */
ASSAY_PUBLIC const char* assay_report_text(assay_report* report);
ASSAY_PUBLIC const char* assay_report_json(assay_report* report);
ASSAY_PUBLIC const char* assay_report_page(assay_report* report);
ASSAY_PUBLIC const char* assay_report_dot(assay_report* report);
ASSAY_PUBLIC const char* assay_report_junit(assay_report* report);
/* A proof of the verdict at one level, for assay_verify. NULL where there is none: it is undecided, or no proof of
 * bearable length was found. */
ASSAY_PUBLIC const char* assay_report_certificate(assay_report* report, size_t index);
ASSAY_PUBLIC void assay_report_free(assay_report* report);

/* ---- Certificates ---- */

/* Judges a certificate by the history alone. NULL if the text is no certificate. */
ASSAY_PUBLIC assay_verification* assay_verify(const assay_history* history, const char* certificate,
                                              size_t size);
/* 1 or 0. An accepted certificate proves its claim: compare that with what you want to know. */
ASSAY_PUBLIC int assay_verification_accepted(const assay_verification* verification);
/* Where it is rejected: why. */
ASSAY_PUBLIC const char* assay_verification_reason(const assay_verification* verification);
ASSAY_PUBLIC const char* assay_verification_level(const assay_verification* verification);
ASSAY_PUBLIC assay_verdict assay_verification_verdict(const assay_verification* verification);
ASSAY_PUBLIC int assay_verification_session_order(const assay_verification* verification);
ASSAY_PUBLIC int64_t assay_verification_clock_drift(const assay_verification* verification);
ASSAY_PUBLIC void assay_verification_free(assay_verification* verification);

/* ---- Watching: a history that goes on ---- */

/* It forgets what nothing still to come can touch, as long as no value is written to a key twice. Of the options
 * the clock drift counts; NULL: 100 ms. */
ASSAY_PUBLIC assay_watcher* assay_watcher_new(const char* level, const assay_options* options);
/* All that return int return 0, or -1. A session is called as assay_begin named it; a number by its digits. */
ASSAY_PUBLIC int assay_watcher_admit(assay_watcher* watcher, const char* session);
/* Only those that were admitted, or have sent something, will send anything. Nothing is settled, and hardly
 * anything forgotten, before this is said. */
ASSAY_PUBLIC int assay_watcher_all_admitted(assay_watcher* watcher);
/* It sends nothing more. */
ASSAY_PUBLIC int assay_watcher_close(assay_watcher* watcher, const char* session);
/* Appends the transactions of each session of the fragment to that session. */
ASSAY_PUBLIC int assay_watcher_add(assay_watcher* watcher, const assay_history* fragment);
/* Decides what has arrived. A violation is told once. */
ASSAY_PUBLIC assay_round* assay_watcher_decide(assay_watcher* watcher);
/* How many transactions are held in memory, and how many of those that came wait to be decided. */
ASSAY_PUBLIC uint64_t assay_watcher_kept(const assay_watcher* watcher);
ASSAY_PUBLIC uint64_t assay_watcher_waiting(const assay_watcher* watcher);
ASSAY_PUBLIC void assay_watcher_free(assay_watcher* watcher);

/* Of what this round decided. NULL is undecided. "Holds" of a history that goes on is "holds so far". */
ASSAY_PUBLIC assay_verdict assay_round_verdict(const assay_round* round);
/* Undecided: why; violated: what the report cannot show by itself. */
ASSAY_PUBLIC const char* assay_round_reason(const assay_round* round);
ASSAY_PUBLIC uint64_t assay_round_transactions(const assay_round* round);
/* Not 0: there may be another violation, or more than a round takes: decide again at once. */
ASSAY_PUBLIC int assay_round_more(const assay_round* round);
/* Violated: the few transactions that show it; it belongs to the round. NULL where none can show it. */
ASSAY_PUBLIC assay_report* assay_round_report(assay_round* round);
ASSAY_PUBLIC void assay_round_free(assay_round* round);

#ifdef __cplusplus
}
#endif

#endif
