// Two clients each read a counter, add one and write it back: one of the two additions is lost.
#include <assay/assay.hpp>
#include <iostream>

int main() {
  using namespace assay::api;
  Builder build;
  build.begin("alice", 1).read_initial("counter").write("counter", 1).commit();
  build.begin("bob", 2).read_initial("counter").write("counter", 2).commit();
  const Report report = check(build.finish(), {"read-committed", "snapshot-isolation"});
  std::cout << report.text;
  return report.results[1].verdict == Verdict::violated ? 0 : 1;
}
