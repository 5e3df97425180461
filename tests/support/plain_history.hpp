// A second, independent reading of histories for tests: the neutral JSONL files parsed with a plain JSON
// library into plain vectors, and a fingerprint that two histories share if they are the same up to the names
// of sessions, keys and values. Nothing here uses a reader of Assay.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "history/history.hpp"

namespace assay::testing {

struct PlainOp {
  bool write;  // or an append
  std::string key;
  // One value; several for a list read; none for the initial state.
  std::vector<std::string> values;
  bool list = false;
};

struct PlainTxn {
  Status status;
  std::vector<PlainOp> ops;
};

using PlainSession = std::vector<PlainTxn>;

struct PlainHistory {
  std::vector<PlainSession> sessions;
};

PlainHistory read_plain(const std::filesystem::path& path);
PlainHistory plain(const History& history);

// Reads of transactions that did not commit carry no information and are left out, and so are transactions
// and sessions without operations.
std::vector<std::uint64_t> fingerprint(const PlainHistory& history);

}  // namespace assay::testing
