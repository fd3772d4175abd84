// X.509 certificates, by OpenSSL: an authority of this machine's own, a server's certificate by it, and what a certificate says.
#pragma once
#include <chrono>
#include <string>
#include <vector>

#include "base/result.h"

namespace hone::net {

struct Certified {
  std::string certificate;  // PEM; of a server: its own first, then those up to its authority
  std::string key;          // PEM, the private key of the first
};

// Of the wall clock.
struct Validity {
  std::chrono::seconds from_unix, until_unix;
};

// An authority for these names and addresses ("lab.local", "192.168.1.5"), names below them, names below .local, and addresses of private networks:
// who steals its key can pretend to be nobody else. Fails: internal.
Result<Certified> make_authority(const std::string& title, const std::vector<std::string>& names, const Validity& validity);

// A server's certificate by the authority, which comes behind it. Fails: bad_certificate where the authority is unusable.
Result<Certified> make_server_certificate(const Certified& authority, const std::vector<std::string>& names, const Validity& validity);

struct CertificateFacts {
  std::string title;               // the subject's common name
  std::vector<std::string> names;  // DNS names and addresses that it is good for
  Validity validity;
  std::string fingerprint;         // SHA-256 as people compare it: "AB:CD:…"
  std::string key_sha256;          // of the public key, in base64: what browsers pin
};

// Of the first certificate in the text. Fails: bad_certificate.
Result<CertificateFacts> read_certificate(const std::string& pem);

// That both are there and belong together, and that it is valid now. Fails: bad_certificate; the sentence begins with what was found.
Status check_certified(const Certified& certified, std::chrono::seconds now_unix);

}  // namespace hone::net
