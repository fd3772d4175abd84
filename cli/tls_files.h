// The authority that `hone tls init` makes on this machine, and the certificate by it that `hone up --tls` shows: ca.crt, ca.key, server.crt and
// server.key, mode 0600 in a folder of mode 0700.
#pragma once
#include <chrono>
#include <string>
#include <vector>

#include "base/net/certificate.h"
#include "base/net/tls_context.h"

namespace hone::cli {

// HONE_TLS_DIR, else tls in hone's folder of the user's configuration; "" where there is neither.
std::string tls_folder();
bool has_authority(const std::string& folder);

// The names by which this machine is reached: localhost, its name, NAME.local, loopback and its IPv4 addresses; and `more`.
std::vector<std::string> own_names(const std::vector<std::string>& more);

// Fails: invalid_argument where an authority is there already: devices trust it, so it is never overwritten.
Status init_tls(const std::string& folder, const std::vector<std::string>& more_names, std::chrono::seconds now_unix);
// A new server's certificate by the same authority. Fails: not_found without authority, bad_certificate where it has expired or is damaged.
Status renew_tls(const std::string& folder, const std::vector<std::string>& more_names, std::chrono::seconds now_unix);

struct ServerTls {
  net::Certified certified;
  std::string authority;  // PEM, for those who are to trust it; "" = they do already
};
// That of the folder. Fails: not_found, with the remedy; bad_certificate, with the file.
Result<ServerTls> read_server_tls(const std::string& folder, std::chrono::seconds now_unix);
// A certificate that somebody else gave. Fails likewise.
Result<ServerTls> read_given_tls(const std::string& certificate_file, const std::string& key_file, std::chrono::seconds now_unix);

// The file of the authorities that a client of this machine trusts besides the system's; "" where there is none.
std::string own_authority_file();
// Whom an https service must convince: with ca_file ("" = not given) the authorities in it and no others, else the system's and this machine's
// own. Fails: not_found, io_error, bad_certificate; it names the file.
Result<net::TlsContext> client_tls(const std::string& ca_file);

}  // namespace hone::cli
