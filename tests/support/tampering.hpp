// Certificates changed as somebody would who knows how they are written: lines left out or exchanged, words
// replaced by others of their kind.
#pragma once

#include <string>

#include "support/random/random_history.hpp"

namespace assay {

// A certificate without its last line, which with_end() of replay.hpp makes anew.
std::string body_of(const std::string& certificate);

// REQUIRES: `body` has two lines or more.
std::string tampered(Rng& rng, const std::string& body);

}  // namespace assay
