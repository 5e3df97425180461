// Lists: keys that are appended to and read whole. A list read shows the order of all appends before it, so
// it is a read of the last element's writer plus knowledge of the version order. (The appends themselves are
// not reads: Adya's version order, as Elle uses it.) This part checks that every list could have been a state
// of its key at all.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "check/outcome.hpp"
#include "history/history.hpp"

namespace assay::check {

class ListReads {
 public:
  static constexpr std::uint32_t kNobody = 0xFFFFFFFFU;

  explicit ListReads(const History& history);

  // A key that is appended to or read as a list.
  bool is_list(Key k) const { return is_list_[index(k)]; }
  // Not empty: a key is used as list and register at once, or an element was appended twice.
  const std::string& not_understood() const { return not_understood_; }

  // Walk the operations on list keys of one committed transaction after another, in program order.
  void enter(Txn t) { txn_ = t; }
  struct Answer {
    std::optional<BadRead> bad;
    // Set for a good read: the last element that another transaction appended, or nullopt for the empty list.
    std::optional<std::optional<Version>> saw;
  };
  Answer operation(Op op);

  // After the walk: the longest list seen of the key.
  std::span<const Version> longest(Key k) const;
  // Who saw it.
  std::optional<Txn> reader_of_longest(Key k) const;
  // The transaction that appended the element, or kNobody.
  std::uint32_t writer(Version v) const { return appends_.empty() ? kNobody : appends_[index(v)].txn; }

 private:
  struct Append {
    std::uint32_t txn = kNobody;
    std::uint32_t op = 0;
    // The elements that the same transaction appended to the same key just before and after.
    Version previous, next;
    bool has_previous = false, has_next = false;
  };

  std::optional<BadRead> check_element(Op read, std::span<const Version> list, std::size_t i,
                                       bool last) const;
  std::optional<BadRead> compare_with_longest(Op read, Key k, std::span<const Version> list);

  const History& h_;
  std::vector<bool> is_list_;
  std::vector<Append> appends_;         // per version
  std::vector<std::uint32_t> longest_;  // per key: the operation with the longest list, or kNobody
  std::string not_understood_;

  Txn txn_{};
  struct Own {
    Txn txn = kInitialTxn;
    std::uint32_t count = 0;
    Version last{};
    Op op{};
  };
  std::vector<Own> own_;  // per key: what the current transaction has appended so far
};

}  // namespace assay::check
