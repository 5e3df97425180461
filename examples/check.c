/* Checks the history in the file that is named, or without a name a small one of its own, for
 * serializability. */
#include <assay/assay.h>
#include <stdio.h>

static assay_history* write_skew(void) {
  assay_builder* build = assay_builder_new();
  assay_history* history = NULL;
  if (build != NULL && assay_begin(build, 1, 1) == 0 && assay_add_read_initial_text(build, "x") == 0 &&
      assay_add_write_text(build, "y", "taken") == 0 && assay_end(build, ASSAY_COMMITTED) == 0 &&
      assay_begin(build, 2, 2) == 0 && assay_add_read_initial_text(build, "y") == 0 &&
      assay_add_write_text(build, "x", "taken") == 0 && assay_end(build, ASSAY_COMMITTED) == 0) {
    history = assay_finish(build);
  }
  assay_builder_free(build);
  return history;
}

int main(int argc, char** argv) {
  assay_history* history = argc > 1 ? assay_read(argv[1], NULL) : write_skew();
  assay_report* report = history != NULL ? assay_check(history, "serializable", 60) : NULL;
  int exit_code = 3;
  if (report != NULL) {
    fputs(assay_report_text(report), stdout);
    exit_code = (int)assay_report_verdict(report);
  } else {
    fprintf(stderr, "error: %s\n", assay_error());
  }
  assay_report_free(report);
  assay_history_free(history);
  return exit_code;
}
