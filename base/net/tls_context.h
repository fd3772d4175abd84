// OpenSSL's contexts for both ends: TLS 1.2 and newer.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "base/net/certificate.h"

struct ssl_ctx_st;
struct ssl_st;

namespace hone::net {

using TlsContext = std::shared_ptr<ssl_ctx_st>;

struct Trust {
  bool system = true;                    // the authorities that this system trusts
  std::vector<std::string> authorities;  // and these; PEM
};

// A client verifies the server's certificate and its name; there is no way around it. Fails: bad_certificate.
Result<TlsContext> client_tls_context(const Trust& trust);

// The client has this end of a connection speak for `host`, a name or an address. False: no memory.
bool expect_host(ssl_st* ssl, const std::string& host);
// Why a client refuses the server; empty where it does not.
std::string verify_problem(ssl_st* ssl);
// CertificateFacts::key_sha256 of the peer; empty where it showed none.
std::string peer_key_sha256(ssl_st* ssl);

// Within base/net: what a server shows. One thread at a time.
class ServerCertificate {
 public:
  // Makes of a fresh context a server's, which refers to this object from then on. Fails: bad_certificate.
  Status set_up(ssl_ctx_st* context, const Certified& certified);
  // Handshakes that begin from here on show this one; connections that are there go on. Fails: bad_certificate, and the one before stays.
  Status renew(const Certified& certified);

 private:
  static int on_handshake(ssl_st* ssl, void* self);
  TlsContext renewed_;  // null: what set_up was given
};

}  // namespace hone::net
