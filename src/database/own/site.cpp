#include "database/own/site.hpp"

#include <algorithm>
#include <bit>

namespace assay::database {

void Site::apply(std::span<const Write> writes, std::uint64_t order) {
  ++applied_;
  for (const Write& write : writes) {
    if (write.slot >= chains_.size())
      chains_.resize(std::max<std::size_t>(write.slot + 1, chains_.size() * 2));
    Chain& chain = chains_[write.slot];
    const RowState state = write.kind == Write::Kind::erase ? RowState::erased : RowState::live;
    const Version version{applied_ << 2 | static_cast<std::uint64_t>(state), write.value};
    if (write.kind != Write::Kind::append) {
      if (order < chain.order) continue;
      // Looked at only at powers of two, so that a chain that stays long is not walked at every write.
      if (chain.versions.size() >= 4 && std::has_single_bit(chain.versions.size()))
        drop_unreadable(chain.versions);
    }
    chain.versions.push_back(version);
    chain.order = order;
  }
}

void Site::drop_unreadable(std::vector<Version>& versions) const {
  // The last version at or below the horizon is what a snapshot at the horizon sees; all before it are out of
  // reach.
  const auto above = std::find_if(versions.begin(), versions.end(),
                                  [&](const Version& version) { return version.position() > horizon_; });
  if (above - versions.begin() > 1) versions.erase(versions.begin(), above - 1);
}

Cell Site::visible(std::uint32_t slot, std::uint64_t at) const {
  if (slot >= chains_.size()) return {};
  const std::vector<Version>& versions = chains_[slot].versions;
  for (auto version = versions.rbegin(); version != versions.rend(); ++version) {
    if (version->position() <= at) return {version->state(), version->value};
  }
  return {};
}

void Site::append_visible_list(std::uint32_t slot, std::uint64_t at,
                               std::vector<std::int64_t>& elements) const {
  if (slot >= chains_.size()) return;
  for (const Version& version : chains_[slot].versions) {
    if (version.position() > at) break;
    elements.push_back(version.value);
  }
}

}  // namespace assay::database
