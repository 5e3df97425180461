/* Assay for C programs, and for everything that can call C.
 *
 * Functions that can fail return NULL or a negative number; assay_error() then tells why, in this thread,
 * until the next call of the library. Every handle has one function that frees it, which accepts NULL. All
 * texts are UTF-8 and end in a zero byte; texts that are returned belong to the handle they were asked of. */
#ifndef ASSAY_H
#define ASSAY_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct assay_builder assay_builder;
typedef struct assay_history assay_history;
typedef struct assay_report assay_report;

typedef enum { ASSAY_HOLDS = 0, ASSAY_VIOLATED = 1, ASSAY_UNDECIDED = 2 } assay_verdict;
typedef enum { ASSAY_COMMITTED = 0, ASSAY_ABORTED = 1, ASSAY_UNKNOWN = 2 } assay_fate;

const char* assay_version(void);
/* Never NULL; empty if the last call in this thread succeeded. */
const char* assay_error(void);

/* A history from a file or directory; format may be NULL: then the content tells. */
assay_history* assay_read(const char* path, const char* format);
/* 0, or -1. */
int assay_write(const assay_history* history, const char* path, const char* format);
size_t assay_transactions(const assay_history* history);
void assay_history_free(assay_history* history);

/* A history put together by hand. Between begin and end come the operations of one transaction, in order. All
 * return 0, or -1. Keys and values are numbers here; the functions whose names end in _text take texts. */
assay_builder* assay_builder_new(void);
int assay_begin(assay_builder* builder, int64_t session, int64_t transaction);
int assay_add_read(assay_builder* builder, int64_t key, int64_t value);
int assay_add_read_initial(assay_builder* builder, int64_t key);
int assay_add_write(assay_builder* builder, int64_t key, int64_t value);
int assay_add_read_text(assay_builder* builder, const char* key, const char* value);
int assay_add_read_initial_text(assay_builder* builder, const char* key);
int assay_add_write_text(assay_builder* builder, const char* key, const char* value);
int assay_end(assay_builder* builder, assay_fate fate);
/* With start and end in nanoseconds, for the levels with real time. */
int assay_end_at(assay_builder* builder, assay_fate fate, int64_t start, int64_t end);
/* The history; the builder is empty again and must still be freed. */
assay_history* assay_finish(assay_builder* builder);
void assay_builder_free(assay_builder* builder);

/* Checks one level, by name or alias. timeout_seconds of 0 means no limit. */
assay_report* assay_check(const assay_history* history, const char* level, double timeout_seconds);
assay_verdict assay_report_verdict(const assay_report* report);
/* What `assay check` prints, and what it prints with --json. */
const char* assay_report_text(const assay_report* report);
const char* assay_report_json(const assay_report* report);
void assay_report_free(assay_report* report);

#ifdef __cplusplus
}
#endif

#endif
