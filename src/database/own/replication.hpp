// How commits travel: gives every commit its place in one common order (Lamport stamps, ties by site) and
// hands it to the other sites later, in the order the propagation allows. With one site it only counts commits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "database/own/rules.hpp"
#include "database/own/site.hpp"
#include "system/random.hpp"

namespace assay::database {

class Replication {
 public:
  static constexpr std::uint32_t kMostSites = 32;

  // REQUIRES: 1 <= sites <= kMostSites; one site if and only if propagation is none. A site is behind by about
  // `lag` transactions at most.
  Replication(Propagation propagation, std::uint32_t sites, std::uint32_t lag, std::uint64_t seed);

  const Site& site(std::uint32_t s) const { return sites_[s]; }
  std::uint32_t sites() const { return static_cast<std::uint32_t>(sites_.size()); }

  // Commits the writes at a site; returns the commit's place in the common order.
  std::uint64_t publish(std::uint32_t site, std::span<const Write> writes);
  // A place in the common order for a transaction that wrote nothing.
  std::uint64_t stamp(std::uint32_t site);
  // Whether some commit, delivered or not, overwrote what a snapshot at the site shows.
  bool overwritten_since(std::uint32_t site, std::uint32_t slot, std::uint64_t snapshot) const;
  // Delivers everything everywhere; all sites then agree.
  void settle();
  // Commits at all sites at once. REQUIRES: settled.
  void publish_everywhere(const Write& write);
  void forget_before(std::uint32_t site, std::uint64_t position) { sites_[site].forget_before(position); }

 private:
  // One commit on its way (one write of it, for torn propagation). Entries are recycled; a Reference whose order
  // no longer matches points at one that has arrived everywhere.
  struct Entry {
    std::uint64_t order = 0;
    std::uint64_t clock = 0;
    std::uint32_t waiting = 0;  // a bit per site that has not applied it
    std::uint32_t origin = 0;
    std::uint64_t number = 0;  // causal: among the commits of its origin, from 0
    std::vector<Write> writes;
    std::vector<std::uint64_t> seen;  // causal: how many commits of each site had been applied at the origin
    struct Reference {
      std::uint32_t entry = 0;
      std::uint64_t order = 0;
    };
    std::vector<Reference>
        earlier_elements;  // any order: the commits that appended before it to the same lists
  };
  using Reference = Entry::Reference;

  std::uint32_t new_entry();
  void enqueue(std::uint32_t origin, std::uint64_t order, std::span<const Write> writes);
  void trickle();
  void drain(std::uint32_t site, std::size_t backlog);
  std::size_t backlog(std::uint32_t site) const;
  void deliver_some(std::uint32_t site);
  void deliver(std::uint32_t site, Reference reference);
  void deliver_prefix(std::uint32_t site, std::uint32_t origin, std::uint64_t count);
  void arrive(std::uint32_t site, std::uint32_t entry);
  void remember_newest(std::uint32_t slot, std::uint64_t order);

  Propagation propagation_;
  std::uint32_t lag_;
  system::Random random_;
  std::vector<Site> sites_;
  std::vector<std::uint64_t> clocks_;  // by site
  std::vector<Entry> entries_;
  std::vector<std::uint32_t> free_;
  std::vector<std::vector<Reference>> pending_;  // any order: by site
  struct Log {
    std::deque<std::uint32_t> entries;
    std::uint64_t first = 0;  // the number of entries.front()
  };
  std::vector<Log> logs_;  // causal: by origin
  std::vector<std::vector<std::uint64_t>>
      applied_;  // causal: by site and origin, how many of the origin's commits
  struct Newest {
    std::uint64_t order = 0;
    Reference appended;
  };
  std::vector<Newest> newest_;  // by slot, over all sites
};

}  // namespace assay::database
