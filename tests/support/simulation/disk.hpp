// A disk that is made up: it fills, fails and crashes when it is told to. What was written and not made safe is
// there after a crash, or not, or in part, as chance will have it; so are names that were created, replaced or
// removed. What could not be made safe is not on its way any more either: like a kernel that has dropped the
// pages, it forgets what it failed to write.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "support/random/random_history.hpp"
#include "system/disk.hpp"

namespace assay::watch::simulation {

class Disk : public system::Disk {
 public:
  // Called before everything that changes something; may throw.
  explicit Disk(std::function<void()> before) : before_(std::move(before)) {}

  // A process that is merely killed leaves all that it wrote; without power some of it is gone.
  void lose_power(Rng& rng);

  std::string shown(const std::string& name) const override { return "disk/" + name; }
  std::vector<std::string> names() const override;
  using system::Disk::read;
  std::string read(const std::string& name, std::uint64_t offset, std::size_t size) const override;
  std::uint64_t size(const std::string& name) const override;
  void create(const std::string& name) override;
  void write(const std::string& name, std::string_view bytes, std::uint64_t offset) override;
  void truncate(const std::string& name, std::uint64_t size) override;
  void remove(const std::string& name) override;
  void make_safe(const std::string& name) override;
  void make_names_safe() override;
  void replace(const std::string& name, std::string_view bytes) override;

 private:
  struct Change {
    std::uint64_t offset = 0;
    std::string bytes;
    bool cuts = false;  // the file ends at `offset`
  };
  struct File {
    std::string safe, now;
    std::vector<Change> pending;  // what makes `now` of `safe`
  };
  using Names = std::map<std::string, std::shared_ptr<File>, std::less<>>;

  static void apply(const Change& change, std::string& content);
  File& file(const std::string& name);
  void change(File& file, Change change);

  std::function<void()> before_;
  Names now_, safe_;
};

}  // namespace assay::watch::simulation
