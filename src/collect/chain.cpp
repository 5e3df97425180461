#include "collect/chain.hpp"

#include "memory/sha256.hpp"

namespace assay::collect {

std::string content_digest(bool last, std::string_view block) {
  return Sha256().add(last ? "D" : "F").add(block).digest();
}

std::string chain_after(std::string_view chain, std::string_view content_digest) {
  return Sha256().add(chain).add(content_digest).digest();
}

}  // namespace assay::collect
