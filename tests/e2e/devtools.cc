#include <utility>  // before Asio 1.74: it uses std::exchange without including this

#include "tests/e2e/devtools.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/websocket.hpp>
#include <fstream>
#include <map>

#include "tests/e2e/hone_process.h"

namespace hone::e2e {

namespace asio = boost::asio;
namespace beast = boost::beast;
using nlohmann::json;

struct DevTools::Impl {
  asio::io_context io;
  beast::websocket::stream<beast::tcp_stream> socket{io};
  int last_id = 0;
  std::string page, page_target, cover_target;
  std::map<std::string, std::string> workers;  // session by name
};

namespace {

constexpr auto kPatience = std::chrono::seconds(15);
constexpr std::string_view kListening = "DevTools listening on ws://";

// "127.0.0.1:1234/devtools/browser/…", from the last line that says so.
std::string listening_at(const std::string& file) {
  std::ifstream in(file);
  std::string where;
  for (std::string line; std::getline(in, line);)
    if (line.rfind(kListening, 0) == 0) where = line.substr(kListening.size());
  return where;
}

}  // namespace

std::string DevTools::browser_program(const std::string& folder) {
  std::string path = folder + "/browser_with_devtools";
  std::ofstream(path) << "#!/bin/bash\nexec chromium --remote-debugging-port=0 \"$@\" 2> '" << folder << "/devtools'\n";
  chmod(path.c_str(), 0755);
  return path;
}

DevTools::DevTools(const std::string& folder) : impl_(std::make_unique<Impl>()) {
  std::string where;
  EXPECT_TRUE(wait_until(kPatience, [&] { return !(where = listening_at(folder + "/devtools")).empty(); }));
  size_t colon = where.find(':'), slash = where.find('/');
  if (slash == std::string::npos) return;
  boost::system::error_code error;
  asio::ip::tcp::endpoint to(asio::ip::make_address("127.0.0.1"),
                             static_cast<uint16_t>(std::stoi(where.substr(colon + 1, slash - colon - 1))));
  impl_->socket.next_layer().connect(to, error);
  if (!error) impl_->socket.handshake(where.substr(0, slash), where.substr(slash), error);
  EXPECT_FALSE(error) << error.message();
  json targets = call("Target.getTargets", json::object());
  for (const json& target : targets["targetInfos"])
    if (target["type"] == "page" && target["url"].get<std::string>().find("/agent/") != std::string::npos)
      impl_->page_target = target["targetId"];
  EXPECT_NE(impl_->page_target, "") << "the browser shows no agent";
  impl_->page =
      call("Target.attachToTarget", {{"targetId", impl_->page_target}, {"flatten", true}}).value("sessionId", "");
}

DevTools::~DevTools() = default;

json DevTools::call(const std::string& method, json parameters, const std::string& session) {
  int id = ++impl_->last_id;
  json request = {{"id", id}, {"method", method}, {"params", std::move(parameters)}};
  if (!session.empty()) request["sessionId"] = session;
  boost::system::error_code error;
  impl_->socket.write(asio::buffer(request.dump()), error);
  while (!error) {
    beast::flat_buffer buffer;
    impl_->socket.read(buffer, error);
    if (error) break;
    json message = json::parse(beast::buffers_to_string(buffer.data()), nullptr, false);
    if (message.value("method", "") == "Target.attachedToTarget")
      impl_->workers[message["params"]["targetInfo"]["title"]] = message["params"]["sessionId"];
    if (message.value("id", 0) != id) continue;
    EXPECT_FALSE(message.contains("error")) << method << ": " << message["error"];
    return message.value("result", json::object());
  }
  ADD_FAILURE() << method << ": " << error.message();
  return json::object();
}

// Workers that are there are told of before the answer.
void DevTools::attach_below(const std::string& session) {
  call("Target.setAutoAttach", {{"autoAttach", true}, {"waitForDebuggerOnStart", false}, {"flatten", true}}, session);
}

std::string DevTools::session_of(const std::string& worker) {
  impl_->workers.clear();
  for (const std::string& above : {std::string("page"), std::string("agent")}) {
    attach_below(above == "page" ? impl_->page : impl_->workers[above]);
    if (impl_->workers.count(worker)) return impl_->workers[worker];
  }
  ADD_FAILURE() << "no worker is called " << worker;
  return "";
}

json DevTools::evaluate(const std::string& worker, const std::string& expression) {
  json answer = call("Runtime.evaluate", {{"expression", expression}, {"returnByValue", true}, {"awaitPromise", true}},
                     session_of(worker));
  return answer["result"].value("value", json());
}

void DevTools::cover() {
  impl_->cover_target = call("Target.createTarget", {{"url", "about:blank"}}).value("targetId", "");
  call("Target.activateTarget", {{"targetId", impl_->cover_target}});
}

void DevTools::close() {
  call("Target.createTarget", {{"url", "about:blank"}});
  call("Target.closeTarget", {{"targetId", impl_->page_target}});
}

void DevTools::uncover() {
  call("Target.activateTarget", {{"targetId", impl_->page_target}});
  call("Target.closeTarget", {{"targetId", impl_->cover_target}});
}

}  // namespace hone::e2e
