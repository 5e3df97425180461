// The verifier as a program of its own. It is linked from src/history, src/format, src/level and src/verify
// and nothing else: that it links is the proof that the verifier rests on nothing that decides or proves.
#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>

#include "format/format.hpp"
#include "system/input_error.hpp"
#include "verify/verify.hpp"

int main(int count, char** arguments) {
  if (count != 3) {
    std::fputs("usage: assay_verifier CERTIFICATE HISTORY\n", stderr);
    return 3;
  }
  try {
    std::ifstream file(arguments[1], std::ios::binary);
    const std::string certificate(std::istreambuf_iterator<char>(file), {});
    const assay::History history = assay::format::read_history(std::string(arguments[2]));
    const auto found = assay::verify::verify(certificate, arguments[1], history);
    std::printf("%s\n", found.accepted ? "accepted" : ("rejected: " + found.reason).c_str());
    return found.accepted ? 0 : 1;
  } catch (const assay::InputError& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 3;
  }
}
