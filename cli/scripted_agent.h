// ScriptedAgent: an agent without a browser, for tests: the real protocol over real sockets, with results from a script.
#pragma once
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/net/client.h"
#include "base/net/event_loop.h"
#include "schema/generated/protocol.h"

namespace hone::cli {

class ScriptedAgent {
 public:
  struct Script {
    // What becomes of a candidate; nullopt: it is never answered.
    std::function<std::optional<protocol::CandidateResult>(const protocol::Candidate&)> measure;
    // How a model ran; its outputs are zeros. Not set, or nullopt: it is never answered.
    std::function<std::optional<protocol::Executed>(const protocol::Execute&)> execute;
    std::vector<protocol::DeviceOffer> devices = {some_device()};
    std::string launch_id;
    // What is sent of a batch's results; not set: each once, in their order.
    std::function<std::vector<protocol::CandidateResult>(std::vector<protocol::CandidateResult>)> deliver;
    std::chrono::milliseconds each{0};  // what a candidate takes, one after the other; 0: all are answered at once
  };
  ScriptedAgent(net::EventLoop& loop, uint16_t port, std::string token, Script script);
  ~ScriptedAgent();

  // Ends all sockets at once, as a killed browser does.
  void vanish();
  // Ends the session socket alone.
  void drop_session();

  static protocol::DeviceOffer some_device();
  // A right and fast result of 100 µs.
  static protocol::CandidateResult good_result(double latency_us = 100);

  int measured = 0, prepared = 0, acknowledged = 0, released = 0;
  std::string refused;  // the last error that a socket was told

 private:
  class Control;
  class Session;
  void open_session(const protocol::OpenSession& open);

  net::EventLoop& loop_;
  const uint16_t port_;
  const std::string token_;
  const Script script_;
  std::string agent_id_, resume_secret_;
  Control* control_ = nullptr;
  Session* session_ = nullptr;
  std::unique_ptr<net::Client> client_;
};

}  // namespace hone::cli
