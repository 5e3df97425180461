// Why a read is impossible at every level, as sentences say it.
#pragma once

#include <string>

#include "support/judge/spoken_facts.hpp"

namespace assay {

bool is_bad_read(const SpokenFacts& facts, const std::string& sentence);

}  // namespace assay
