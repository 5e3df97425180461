// The fence around a worker: it runs a program on requests that anybody may have sent and on reports that a
// liar may have written. From here on it can read the program's files and its pipes, and nothing else: no
// network, no other program, no writing (Landlock and seccomp).
#pragma once

#include <string>
#include <vector>

namespace assay::php {

struct FenceLimits {
  std::size_t memory = std::size_t{4} << 30;  // bytes of address space
};

// What this system lacks, or nothing. Files below these folders may be read.
std::string raise_fence(const std::vector<std::string>& readable, const FenceLimits& limits);

}  // namespace assay::php
