// A server that is one process: all that is left for a product to say is how its files are made, its command
// line, and its address.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "database/server/node.hpp"
#include "database/server/place.hpp"
#include "database/server/server.hpp"

namespace assay::database {

class SingleServer final : public Server {
 public:
  using Address = std::function<std::string(const std::vector<Endpoint>& by_way_of)>;
  using Plan = std::function<NodePlan(const Endpoint& endpoint)>;

  // Starts it on a free port. `plan` may be asked several times, since ports are taken by others; the address
  // in it is filled in here. Throws std::runtime_error.
  SingleServer(std::unique_ptr<ServerFolder> folder, Address address, const Plan& plan)
      : folder_(std::move(folder)), address_(std::move(address)) {
    with_free_ports(1, [&](const auto& ports) {
      endpoint_ = {"127.0.0.1", ports[0]};
      NodePlan node = plan(endpoint_);
      node.url = address_({endpoint_});
      node_ = std::make_unique<ServerNode>(std::move(node));
      node_->start();
    });
  }

  std::vector<Endpoint> endpoints() const override { return {endpoint_}; }
  std::string url(const std::vector<Endpoint>& by_way_of) const override { return address_(by_way_of); }
  void kill(std::size_t) override { node_->kill(); }
  void restart(std::size_t) override { node_->restart(); }
  void pause(std::size_t) override { node_->pause(); }
  void resume(std::size_t) override { node_->resume(); }

 private:
  std::unique_ptr<ServerFolder> folder_;  // outlives the process, which writes into it
  Address address_;
  Endpoint endpoint_;
  std::unique_ptr<ServerNode> node_;
};

}  // namespace assay::database
