// What a collector has sent, as 32 bytes: the digest of each fragment's content is digested together with the
// chain of all before it. The watcher tells a collector the chain of what it holds under that name; a
// collector whose own is another knows that somebody else has sent in its place.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace assay::collect {

// Of a fragment's block, or of the end of a collector, which has none.
std::string content_digest(bool last, std::string_view block);
// The chain after one more fragment.
std::string chain_after(std::string_view chain, std::string_view content_digest);

// Of no fragment at all. Where there were some, it says that nobody knows: as of a checkpoint of a version that
// kept none.
inline const std::string kNoChain(32, '\0');
// Whether the chains that two have of so many fragments can be of the same; what one does not know, it may be.
inline bool may_be_same(std::string_view a, std::string_view b, std::uint64_t fragments) {
  return a == b || (fragments > 0 && (a == kNoChain || b == kNoChain));
}

}  // namespace assay::collect
