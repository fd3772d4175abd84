// Where a process serves, as the options of hone up, hone tracker and hone server say it.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/net/server.h"
#include "base/result.h"
#include "cli/tls_files.h"
#include "cli/verb.h"

namespace hone::cli {

struct ListenOptions {
  std::string host = "127.0.0.1";
  int port = 0;
  bool plain_http = false;
  bool tls = false;
  std::string tls_certificate, tls_key;  // files
  std::string public_url;
  std::vector<std::string> trusted_proxies;
  double drain_s = 30;
};
// The options' defaults are what `options` says by then. `drains`: jobs run there, which have time to end after SIGTERM.
void add_listen_options(Verb verb, ListenOptions& options, bool drains);

// What the options come to.
struct Listening {
  std::string host = "127.0.0.1";
  uint16_t port = 0;                         // 0: any free one
  std::optional<ServerTls> tls;              // https and wss; none: plain http
  std::function<Result<ServerTls>()> read_tls = nullptr;  // its files as they are by then; any thread
  std::string public_origin;                 // "https://lab.example", where a proxy stands before it; "" = none
  std::vector<std::string> trusted_proxies;  // net::ServerConfig
};
// Fails: invalid_argument, for options that do not fit together; as reading certificates does.
Result<Listening> listening_of(const ListenOptions& options);
// For net::Server, but for what it serves. Fails: bad_certificate.
Result<net::ServerConfig> server_config(const Listening& listening);
// Where other devices reach it: public_origin, or on 0.0.0.0 this machine's first address in the network, or where it listens. An address, as a name
// would need a resolver that knows it on each device.
std::string agents_origin(const Listening& listening, const net::Server& server);

}  // namespace hone::cli
