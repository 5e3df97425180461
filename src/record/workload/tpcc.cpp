// TPC-C: a wholesale supplier with warehouses, ten districts each; all five transactions in the standard's
// mix (Cobra §6). Each column of a row is a key of its own, table:primary-key:column. Two columns stand for
// indexes that a key-value interface does not have: district:…:deliver is the oldest order that is not
// delivered, customer:…:last_order the customer's latest order.
//
// Scaled down from the standard's 3,000 customers per district and 100,000 items, see WorkloadOptions; what
// the columns hold for people only (addresses, names of items) is left out.
#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "record/workload/every.hpp"

namespace assay::record {

namespace {

constexpr std::uint32_t kDistricts = 10;
constexpr std::uint32_t kMostLines = 15;
constexpr std::uint32_t kLastNames = 10;
constexpr std::int64_t kOrdersLookedAt = 20;  // by stock level

struct District {
  std::uint32_t warehouse = 0, number = 0;
  std::string key(std::string_view column) const {
    return fmt::format("district:{}-{}:{}", warehouse, number, column);
  }
  std::string customer(std::int64_t customer, std::string_view column) const {
    return fmt::format("customer:{}-{}-{}:{}", warehouse, number, customer, column);
  }
  std::string order(std::int64_t order, std::string_view column) const {
    return fmt::format("order:{}-{}-{}:{}", warehouse, number, order, column);
  }
  std::string new_order(std::int64_t order) const {
    return fmt::format("new_order:{}-{}-{}", warehouse, number, order);
  }
  std::string line(std::int64_t order, std::int64_t line, std::string_view column) const {
    return fmt::format("order_line:{}-{}-{}-{}:{}", warehouse, number, order, line, column);
  }
  // An index: the customers of that last name.
  std::string customers_called(std::uint32_t name) const {
    return fmt::format("customer_name:{}-{}-{}", warehouse, number, name);
  }
};

std::string warehouse_key(std::uint32_t warehouse, std::string_view column) {
  return fmt::format("warehouse:{}:{}", warehouse, column);
}
std::string stock_key(std::uint32_t warehouse, std::int64_t item, std::string_view column) {
  return fmt::format("stock:{}-{}:{}", warehouse, item, column);
}
std::string item_key(std::int64_t item, std::string_view column) {
  return fmt::format("item:{}:{}", item, column);
}

void add(Client& client, const std::string& key, std::int64_t amount) {
  client.write(key, std::to_string(number_in(client.read(key)) + amount));
}

class Tpcc : public Workload {
 public:
  explicit Tpcc(const WorkloadOptions& options)
      : warehouses(options.warehouses.value_or(1)),
        customers(options.customers.value_or(30)),
        items(options.items.value_or(100)) {}

  void load(const PutRow& put) const override {
    for (std::uint32_t item = 0; item < items; ++item)
      put(item_key(item, "price"), std::to_string(100 + item * 37 % 9900));
    for (std::uint32_t w = 0; w < warehouses; ++w) {
      put(warehouse_key(w, "tax"), std::to_string(w * 7 % 20));
      put(warehouse_key(w, "ytd"), "300000");
      for (std::uint32_t item = 0; item < items; ++item)
        put(stock_key(w, item, "quantity"), std::to_string(10 + item * 31 % 91));
      for (std::uint32_t d = 0; d < kDistricts; ++d) load_district(put, {w, d});
    }
  }
  bool shows_values() const override { return true; }
  std::unique_ptr<Script> script(std::uint32_t session) const override;

  const std::uint32_t warehouses, customers, items;

 private:
  void load_district(const PutRow& put, const District& district) const {
    put(district.key("tax"), std::to_string(district.number));
    put(district.key("ytd"), "30000");
    put(district.key("next_order"), "1");
    put(district.key("deliver"), "1");
    for (std::uint32_t c = 0; c < customers; ++c) {
      put(district.customer(c, "discount"), std::to_string(c % 50));
      put(district.customer(c, "credit"), c % 10 == 0 ? "bad" : "good");
      put(district.customer(c, "balance"), "-10");
    }
    for (std::uint32_t name = 0; name < kLastNames; ++name) {
      std::string called;
      for (std::uint32_t c = name; c < customers; c += kLastNames) called += fmt::format("{} ", c);
      put(district.customers_called(name), called);
    }
  }
};

class TpccScript : public Script {
 public:
  TpccScript(const Tpcc& workload, std::uint32_t session) : workload_(workload), session_(session) {}

  void plan(system::Random& random) override {
    const std::uint32_t draw = random.below(100U);
    kind_ = draw < 45   ? Kind::new_order
            : draw < 88 ? Kind::payment
            : draw < 92 ? Kind::order_status
            : draw < 96 ? Kind::delivery
                        : Kind::stock_level;
    district_ = {random.below(workload_.warehouses), random.below(kDistricts)};
    // Of the payments 15 % are for a customer of another warehouse.
    home_ = district_;
    if (random.below(100U) < 15 && workload_.warehouses > 1)
      home_ = {random.below(workload_.warehouses), random.below(kDistricts)};
    by_name_ = random.below(100U) < 60;
    customer_ = random.below(workload_.customers);
    name_ = random.below(std::min(kLastNames, workload_.customers));
    amount_ = 1 + random.below(5000U);
    carrier_ = 1 + random.below(10U);
    wrong_item_ = random.below(100U) == 0;
    lines_.clear();
    const std::uint32_t lines = 5 + random.below(kMostLines - 4);
    for (std::uint32_t i = 0; i < lines; ++i) {
      const bool remote = random.below(100U) == 0;
      lines_.push_back({random.below(workload_.items), 1 + random.below(10U),
                        remote ? random.below(workload_.warehouses) : district_.warehouse});
    }
    ++planned_;
  }

  void run(Client& client) override {
    switch (kind_) {
      case Kind::new_order:
        return new_order(client);
      case Kind::payment:
        return payment(client);
      case Kind::order_status:
        return order_status(client);
      case Kind::delivery:
        return delivery(client);
      case Kind::stock_level:
        return stock_level(client);
    }
  }

 private:
  enum class Kind : std::uint8_t { new_order, payment, order_status, delivery, stock_level };
  struct Line {
    std::uint32_t item, quantity, warehouse;
  };

  void new_order(Client& client) const {
    client.read(warehouse_key(district_.warehouse, "tax"));
    client.read(district_.key("tax"));
    client.read(district_.customer(customer_, "discount"));
    client.read(district_.customer(customer_, "credit"));
    const std::int64_t order = number_in(client.read(district_.key("next_order")));
    client.write(district_.key("next_order"), std::to_string(order + 1));
    client.insert(district_.order(order, "customer"), std::to_string(customer_));
    client.insert(district_.order(order, "lines"), std::to_string(lines_.size()));
    client.insert(district_.new_order(order), "1");
    client.write(district_.customer(customer_, "last_order"), std::to_string(order));
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      const Line& line = lines_[i];
      const bool last = i + 1 == lines_.size();
      const std::uint32_t item = wrong_item_ && last ? workload_.items : line.item;
      const auto price = client.read(item_key(item, "price"));
      if (!price) throw Rollback{};  // the standard's unused item number: 1 % of the orders
      const std::string quantity = stock_key(line.warehouse, item, "quantity");
      std::int64_t left = number_in(client.read(quantity)) - line.quantity;
      if (left < 10) left += 91;
      client.write(quantity, std::to_string(left));
      add(client, stock_key(line.warehouse, item, "ytd"), line.quantity);
      add(client, stock_key(line.warehouse, item, "order_count"), 1);
      if (line.warehouse != district_.warehouse)
        add(client, stock_key(line.warehouse, item, "remote_count"), 1);
      const auto number = static_cast<std::int64_t>(i);
      client.insert(district_.line(order, number, "item"), std::to_string(item));
      client.insert(district_.line(order, number, "amount"),
                    std::to_string(number_in(price) * line.quantity));
    }
  }

  // By number, or the middle one of those with a last name.
  std::int64_t find_customer(Client& client, const District& district) const {
    if (!by_name_) return customer_;
    const auto called = client.read(district.customers_called(name_));
    std::vector<std::string> numbers;
    std::string number;
    for (const char c : called.value_or("")) {
      if (c != ' ') {
        number += c;
      } else {
        numbers.push_back(std::exchange(number, {}));
      }
    }
    return numbers.empty() ? customer_ : number_in(numbers[numbers.size() / 2]);
  }

  void payment(Client& client) const {
    add(client, warehouse_key(district_.warehouse, "ytd"), amount_);
    add(client, district_.key("ytd"), amount_);
    const std::int64_t customer = find_customer(client, home_);
    add(client, home_.customer(customer, "balance"), -std::int64_t{amount_});
    add(client, home_.customer(customer, "ytd_payment"), amount_);
    add(client, home_.customer(customer, "payment_count"), 1);
    if (client.read(home_.customer(customer, "credit")).value_or("") == "bad") {
      client.read(home_.customer(customer, "data"));
      client.write(home_.customer(customer, "data"), fmt::format("paid {}", amount_));
    }
    client.insert(fmt::format("history:s{}-{}:amount", session_, planned_), std::to_string(amount_));
  }

  void order_status(Client& client) const {
    const std::int64_t customer = find_customer(client, district_);
    client.read(district_.customer(customer, "balance"));
    const std::int64_t order = number_in(client.read(district_.customer(customer, "last_order")));
    if (order == 0) return;
    client.read(district_.order(order, "carrier"));
    const std::int64_t lines = number_in(client.read(district_.order(order, "lines")));
    for (std::int64_t line = 0; line < lines; ++line) {
      client.read(district_.line(order, line, "item"));
      client.read(district_.line(order, line, "amount"));
      client.read(district_.line(order, line, "delivered"));
    }
  }

  void delivery(Client& client) const {
    for (std::uint32_t d = 0; d < kDistricts; ++d) deliver(client, {district_.warehouse, d});
  }

  void deliver(Client& client, const District& district) const {
    const std::int64_t order = number_in(client.read(district.key("deliver")));
    if (!client.read(district.new_order(order))) return;
    client.erase(district.new_order(order));
    client.write(district.key("deliver"), std::to_string(order + 1));
    const std::int64_t customer = number_in(client.read(district.order(order, "customer")));
    client.write(district.order(order, "carrier"), std::to_string(carrier_));
    const std::int64_t lines = number_in(client.read(district.order(order, "lines")));
    std::int64_t sum = 0;
    for (std::int64_t line = 0; line < lines; ++line) {
      sum += number_in(client.read(district.line(order, line, "amount")));
      client.write(district.line(order, line, "delivered"), "1");
    }
    add(client, district.customer(customer, "balance"), sum);
    add(client, district.customer(customer, "delivery_count"), 1);
  }

  void stock_level(Client& client) const {
    const std::int64_t next = number_in(client.read(district_.key("next_order")));
    for (std::int64_t order = std::max<std::int64_t>(1, next - kOrdersLookedAt); order < next; ++order) {
      const std::int64_t lines = number_in(client.read(district_.order(order, "lines")));
      for (std::int64_t line = 0; line < lines; ++line) {
        const std::int64_t item = number_in(client.read(district_.line(order, line, "item")));
        client.read(stock_key(district_.warehouse, item, "quantity"));
      }
    }
  }

  const Tpcc& workload_;
  std::uint32_t session_;
  std::uint64_t planned_ = 0;
  Kind kind_ = Kind::new_order;
  District district_, home_;
  bool by_name_ = false, wrong_item_ = false;
  std::uint32_t customer_ = 0, name_ = 0, amount_ = 0, carrier_ = 0;
  std::vector<Line> lines_;
};

std::unique_ptr<Script> Tpcc::script(std::uint32_t session) const {
  return std::make_unique<TpccScript>(*this, session);
}

}  // namespace

std::unique_ptr<Workload> make_tpcc(const WorkloadOptions& options) {
  return std::make_unique<Tpcc>(options);
}

}  // namespace assay::record
