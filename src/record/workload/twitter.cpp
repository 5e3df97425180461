// C-Twitter (Cobra §6): a simple clone of Twitter. Users tweet, follow and unfollow each other, and read a
// timeline of the latest tweets of those they follow; popular users are so by a zipf distribution.
//
//   user:U:tweets       how many tweets U has sent
//   user:U:followers    how many users follow U
//   user:U:following    whom U follows: numbers with commas between them
//   tweet:U:N           the text of U's N-th tweet
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <vector>

#include "record/workload/every.hpp"

namespace assay::record {

namespace {

constexpr std::size_t kMostFollowed = 20;
constexpr std::size_t kTimeline = 10;  // whose latest tweet it shows

std::string user_column(std::uint32_t user, std::string_view column) {
  return fmt::format("user:{}:{}", user, column);
}

std::vector<std::uint32_t> users_in(const std::optional<std::string>& list) {
  std::vector<std::uint32_t> users;
  if (!list) return users;
  const char* at = list->data();
  const char* const end = at + list->size();
  while (at < end) {
    std::uint32_t user = 0;
    at = std::from_chars(at, end, user).ptr;
    users.push_back(user);
    while (at < end && (*at < '0' || *at > '9')) ++at;
  }
  return users;
}

class Twitter : public Workload {
 public:
  explicit Twitter(const WorkloadOptions& options)
      : users(options.users.value_or(1000)),
        choice(users, options.distribution.value_or(KeyDistribution{.kind = KeyDistribution::Kind::zipf})) {}

  void load(const PutRow& put) const override {
    for (std::uint32_t user = 0; user < users; ++user) put(user_column(user, "tweets"), "0");
  }
  bool shows_values() const override { return true; }
  std::unique_ptr<Script> script(std::uint32_t session) const override;

  const std::uint32_t users;
  const KeyChoice choice;
};

class TwitterScript : public Script {
 public:
  explicit TwitterScript(const Twitter& workload) : workload_(workload) {}

  void plan(system::Random& random) override {
    const std::uint32_t draw = random.below(100U);
    kind_ = draw < 20 ? Kind::tweet : draw < 40 ? Kind::follow : draw < 50 ? Kind::unfollow : Kind::timeline;
    user_ = random.below(workload_.users);
    other_ = workload_.choice.draw(random);
  }

  void run(Client& client) override {
    switch (kind_) {
      case Kind::tweet:
        return tweet(client);
      case Kind::follow:
        return follow(client);
      case Kind::unfollow:
        return unfollow(client);
      case Kind::timeline:
        return timeline(client);
    }
  }

 private:
  enum class Kind : std::uint8_t { tweet, follow, unfollow, timeline };

  void tweet(Client& client) const {
    const std::string count = user_column(user_, "tweets");
    const std::int64_t number = number_in(client.read(count)) + 1;
    client.write(fmt::format("tweet:{}:{}", user_, number), std::string(140, 't'));
    client.write(count, std::to_string(number));
  }

  void follow(Client& client) const {
    std::vector<std::uint32_t> followed = users_in(client.read(user_column(user_, "following")));
    if (std::find(followed.begin(), followed.end(), other_) != followed.end()) return;
    followed.push_back(other_);
    if (followed.size() > kMostFollowed) followed.erase(followed.begin());
    set_followed(client, followed);
    count_followers(client, 1);
  }

  void unfollow(Client& client) const {
    std::vector<std::uint32_t> followed = users_in(client.read(user_column(user_, "following")));
    if (followed.empty()) return;
    followed.erase(followed.begin() + static_cast<std::ptrdiff_t>(other_ % followed.size()));
    set_followed(client, followed);
    count_followers(client, -1);
  }

  void timeline(Client& client) const {
    const std::vector<std::uint32_t> followed = users_in(client.read(user_column(user_, "following")));
    for (std::size_t i = 0; i < std::min(followed.size(), kTimeline); ++i) {
      const std::int64_t number = number_in(client.read(user_column(followed[i], "tweets")));
      if (number > 0) client.read(fmt::format("tweet:{}:{}", followed[i], number));
    }
  }

  void set_followed(Client& client, const std::vector<std::uint32_t>& followed) const {
    client.write(user_column(user_, "following"), fmt::format("{}", fmt::join(followed, ",")));
  }

  void count_followers(Client& client, int change) const {
    const std::string followers = user_column(other_, "followers");
    client.write(followers, std::to_string(number_in(client.read(followers)) + change));
  }

  const Twitter& workload_;
  Kind kind_ = Kind::tweet;
  std::uint32_t user_ = 0, other_ = 0;
};

std::unique_ptr<Script> Twitter::script(std::uint32_t) const {
  return std::make_unique<TwitterScript>(*this);
}

}  // namespace

std::unique_ptr<Workload> make_twitter(const WorkloadOptions& options) {
  return std::make_unique<Twitter>(options);
}

}  // namespace assay::record
