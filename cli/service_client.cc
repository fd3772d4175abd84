#include "cli/service_client.h"

#include <unistd.h>

#include <cstdlib>

#include "base/cat.h"
#include "cli/tls_files.h"
#include "schema/message.h"

namespace hone::cli {

namespace {

constexpr size_t kSocketsMax = 4;  // it makes one
constexpr const char* kTrustRemedy =
    "use the name for which it was made, and with --ca the ca.crt of the machine that runs hone up (hone tls show)";

std::string user_name() {
  const char* name = std::getenv("USER");
  return name && *name ? name : cat("uid ", getuid());
}

}  // namespace

class ServiceClient::Link : public net::Handler {
 public:
  Link(ServiceClient& client, std::shared_ptr<net::Channel> channel) : client_(&client), channel_(std::move(channel)) {
    protocol::ClientHello hello{
        .id = client.next_id(), .token = client.url_.token, .version = protocol::kProtocolVersion, .user = user_name()};
    if (!client.url_.code.empty()) hello.enroll_code = client.url_.code;
    channel_->send(protocol::encode(hello));
  }

  void on_frame(const net::FrameView& frame, size_t frame_bytes) override {
    if (!client_) return;
    auto message = protocol::decode_text<protocol::ClientFromService>(frame.header, frame_bytes);
    if (!message.ok()) return fail(message.error());
    if (const auto* welcome = std::get_if<protocol::ClientWelcome>(&*message)) return client_->welcome(*welcome);
    // Before the welcome, and without a request that it answers, an error means the whole connection.
    if (auto* error = std::get_if<protocol::ErrorReply>(&*message); error && (!welcome_or_later(*error)))
      return fail(Error{error->code, error->message});
    client_->events_.on_message(*message, frame.payload);
  }

  void on_closed(const net::Closed& closed) override {
    fail(Error{ErrorCode::kIoError,
               cat("the service closed the connection", closed.reason.empty() ? "" : ": ", closed.reason)});
  }

  void send(std::string_view header, std::string_view payload) { channel_->send(header, payload); }
  void leave() { client_ = nullptr; }

 private:
  static bool welcome_or_later(const protocol::ErrorReply& error) { return error.reply_to && *error.reply_to > 1; }

  void fail(Error error) {
    ServiceClient* client = std::exchange(client_, nullptr);
    if (!client) return;
    client->link_ = nullptr;
    client->events_.on_failed(std::move(error));
  }

  ServiceClient* client_;
  const std::shared_ptr<net::Channel> channel_;
};

ServiceClient::ServiceClient(net::EventLoop& loop, ServiceUrl url, Events events)
    : url_(std::move(url)), events_(std::move(events)), loop_(loop), failing_(loop) {
  const auto tls = url_.https ? client_tls(url_.ca_file) : Result<net::TlsContext>(net::TlsContext());
  if (tls.ok()) connect(*tls);
  else failing_.start(std::chrono::milliseconds(0), [this, error = tls.error()] { events_.on_failed(error); });
}

void ServiceClient::connect(net::TlsContext tls) {
  auto accept = [this](std::shared_ptr<net::Channel> channel) {
    auto link = std::make_unique<Link>(*this, std::move(channel));
    link_ = link.get();
    return link;
  };
  auto failed = [this](Error error) {
    const bool untrusted = error.code == ErrorCode::kBadCertificate;
    events_.on_failed(Error{error.code, untrusted ? cat(error.message, "; ", kTrustRemedy)
                                                  : cat("no service answers at ", url_.host, ":", url_.port, " (", error.message, "); is hone up running there?")});
  };
  client_.emplace(loop_, net::Idle(), kSocketsMax, std::move(tls));
  client_->connect({.host = url_.host,
                    .port = url_.port,
                    .path = "/ws/client",
                    .tls = url_.https,
                    .on_peer_key = [this](const std::string& key) { peer_key_ = key; },
                    .outbox_bytes_max = protocol::kJobBytesMax + protocol::kFrameBytesMax},
                   accept, failed);
}

ServiceClient::~ServiceClient() {
  if (link_) link_->leave();
}

void ServiceClient::welcome(const protocol::ClientWelcome& welcome) {
  role_ = welcome.role;
  url_.code.clear();
  if (welcome.token) {
    url_.token = *welcome.token;
    if (events_.on_token) events_.on_token(*welcome.token);
  }
  events_.on_ready();
}

void ServiceClient::send(const protocol::ClientFromClient& message, std::string_view payload) {
  if (!link_) return;
  std::visit([&](const auto& one) { link_->send(protocol::encode(one), payload); }, message);
}

}  // namespace hone::cli
