// ScriptedLink: the AgentLink of tests. Records what the server sends.
#pragma once
#include <string>
#include <variant>
#include <vector>

#include "server/agents/agent_link.h"

namespace hone::server {

class ScriptedLink : public AgentLink {
 public:
  void send(const protocol::SessionFromServer& message, std::string_view payload) override {
    if (auto* prepare = std::get_if<protocol::PrepareTask>(&message)) prepares.push_back(*prepare);
    if (auto* measure = std::get_if<protocol::Measure>(&message)) {
      measures.push_back(*measure);
      modules.emplace_back(payload);
    }
    if (auto* ack = std::get_if<protocol::ResultAck>(&message)) acks.push_back(*ack);
    if (auto* cancel = std::get_if<protocol::Cancel>(&message)) cancels.push_back(*cancel);
    if (std::get_if<protocol::Release>(&message)) ++releases;
  }
  bool same_host() const override { return true; }
  const tracker::Lease& lease() const override { return under; }
  const tracker::Lease under{.lease_id = "lease-1", .enrolment = "token-1"};
  std::vector<protocol::PrepareTask> prepares;
  std::vector<protocol::Measure> measures;
  std::vector<std::string> modules;  // the payloads of `measures`
  std::vector<protocol::ResultAck> acks;
  std::vector<protocol::Cancel> cancels;
  int releases = 0;
};

}  // namespace hone::server
