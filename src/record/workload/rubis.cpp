// C-RUBiS (Cobra §6): an auction site. Users register, put items up for sale, bid, and comment on sellers.
//
//   user:U              the user's name         user:U:rating    sum of the ratings of all comments
//   item:I              the item's name         item:I:seller    the user who sells it
//   item:I:price        the highest bid         item:I:bids      how many bids there are
//   bid:I:N             the N-th bid on I       comment:U:N      the N-th comment on user U
//   user:U:comments     how many comments there are on U
//
// Users and items that register during a run have names of their session ("s3-17"), so that plans do not
// depend on what other sessions do.
#include <fmt/format.h>

#include "record/workload/every.hpp"

namespace assay::record {

namespace {

class Rubis : public Workload {
 public:
  explicit Rubis(const WorkloadOptions& options)
      : users(options.users.value_or(200)),
        items(options.items.value_or(1000)),
        item_choice(items, options.distribution.value_or(
                               KeyDistribution{.kind = KeyDistribution::Kind::zipf, .theta = 0.8})) {}

  void load(const PutRow& put) const override {
    for (std::uint32_t user = 0; user < users; ++user) put(fmt::format("user:{}", user), "a user");
    for (std::uint32_t item = 0; item < items; ++item) {
      put(fmt::format("item:{}", item), "an item");
      put(fmt::format("item:{}:seller", item), std::to_string(item % users));
      put(fmt::format("item:{}:price", item), "1");
    }
  }
  bool shows_values() const override { return true; }
  std::unique_ptr<Script> script(std::uint32_t session) const override;

  const std::uint32_t users, items;
  const KeyChoice item_choice;
};

class RubisScript : public Script {
 public:
  RubisScript(const Rubis& workload, std::uint32_t session) : workload_(workload), session_(session) {}

  void plan(system::Random& random) override {
    const std::uint32_t draw = random.below(100U);
    kind_ = draw < 5    ? Kind::register_user
            : draw < 15 ? Kind::register_item
            : draw < 45 ? Kind::bid
            : draw < 55 ? Kind::comment
            : draw < 85 ? Kind::view_item
                        : Kind::view_user;
    user_ = random.below(workload_.users);
    item_ = workload_.item_choice.draw(random);
    amount_ = 1 + random.below(5U);
    ++planned_;
  }

  void run(Client& client) override {
    switch (kind_) {
      case Kind::register_user:
        return register_user(client);
      case Kind::register_item:
        return register_item(client);
      case Kind::bid:
        return bid(client);
      case Kind::comment:
        return comment(client);
      case Kind::view_item:
        return view_item(client);
      case Kind::view_user:
        return view_user(client, user_);
    }
  }

 private:
  enum class Kind : std::uint8_t { register_user, register_item, bid, comment, view_item, view_user };

  void register_user(Client& client) const {
    const std::string user = fmt::format("user:s{}-{}", session_, planned_);
    if (client.read(user)) return;
    client.insert(user, "a user");
    client.insert(user + ":rating", "0");
  }

  void register_item(Client& client) const {
    client.read(fmt::format("user:{}", user_));
    const std::string item = fmt::format("item:s{}-{}", session_, planned_);
    client.insert(item, "an item");
    client.insert(item + ":seller", std::to_string(user_));
    client.insert(item + ":price", "1");
  }

  void bid(Client& client) const {
    const std::string item = fmt::format("item:{}", item_);
    const std::int64_t price = number_in(client.read(item + ":price"));
    const std::int64_t number = number_in(client.read(item + ":bids")) + 1;
    client.write(fmt::format("bid:{}:{}", item_, number), std::to_string(price + amount_));
    client.write(item + ":price", std::to_string(price + amount_));
    client.write(item + ":bids", std::to_string(number));
  }

  void comment(Client& client) const {
    const std::string user = fmt::format("user:{}", user_);
    const std::int64_t number = number_in(client.read(user + ":comments")) + 1;
    const std::int64_t rating = number_in(client.read(user + ":rating"));
    client.write(fmt::format("comment:{}:{}", user_, number), "a comment");
    client.write(user + ":comments", std::to_string(number));
    client.write(user + ":rating", std::to_string(rating + amount_));
  }

  void view_item(Client& client) const {
    const std::string item = fmt::format("item:{}", item_);
    client.read(item);
    client.read(item + ":price");
    const std::int64_t bids = number_in(client.read(item + ":bids"));
    if (bids > 0) client.read(fmt::format("bid:{}:{}", item_, bids));
    view_user(client, static_cast<std::uint32_t>(number_in(client.read(item + ":seller"))));
  }

  static void view_user(Client& client, std::uint32_t user) {
    client.read(fmt::format("user:{}", user));
    client.read(fmt::format("user:{}:rating", user));
    const std::int64_t comments = number_in(client.read(fmt::format("user:{}:comments", user)));
    if (comments > 0) client.read(fmt::format("comment:{}:{}", user, comments));
  }

  const Rubis& workload_;
  std::uint32_t session_;
  std::uint64_t planned_ = 0;
  Kind kind_ = Kind::bid;
  std::uint32_t user_ = 0, item_ = 0, amount_ = 0;
};

std::unique_ptr<Script> Rubis::script(std::uint32_t session) const {
  return std::make_unique<RubisScript>(*this, session);
}

}  // namespace

std::unique_ptr<Workload> make_rubis(const WorkloadOptions& options) {
  return std::make_unique<Rubis>(options);
}

}  // namespace assay::record
