#include "cli/tls_files.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "base/cat.h"
#include "base/net/host_check.h"
#include "base/private_file.h"

namespace hone::cli {

namespace {

constexpr std::chrono::seconds kDay{24 * 60 * 60};
constexpr std::chrono::seconds kAuthorityLife = 3650 * kDay;
constexpr std::chrono::seconds kServerLife = 730 * kDay;  // iOS takes 825 at most
constexpr size_t kPemBytesMax = 1 << 20;

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

std::string host_name() {
  std::array<char, 256> name{};
  return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

Result<std::string> read_pem(const std::string& path, const std::string& remedy) {
  std::error_code ignored;
  errno = 0;
  std::ifstream in(path, std::ios::binary);
  if (!in || !std::filesystem::is_regular_file(path, ignored))
    return Error{errno == EACCES ? ErrorCode::kIoError : ErrorCode::kNotFound,
                 cat(path, ": ", errno ? std::strerror(errno) : "it is no file", "; ", remedy)};
  if (std::filesystem::file_size(path, ignored) > kPemBytesMax || ignored)
    return Error{ErrorCode::kBadCertificate, cat(path, " is longer than 1 MiB, which no certificate is; ", remedy)};
  return std::string(std::istreambuf_iterator<char>(in), {});
}

Error in_file(const Error& error, const std::string& path, const std::string& remedy) {
  return {error.code, cat(path, ": ", error.message, "; ", remedy)};
}

Status make_private_folder(const std::string& folder) {
  std::error_code error;
  std::filesystem::create_directories(std::filesystem::path(folder).parent_path(), error);
  if (mkdir(folder.c_str(), 0700) == 0 || errno == EEXIST) return ok_status();
  return Error{ErrorCode::kIoError, cat(folder, " cannot be made: ", std::strerror(errno), "; set HONE_TLS_DIR to a folder of yours")};
}

Status write_server(const std::string& folder, const net::Certified& authority, const std::vector<std::string>& more_names,
                    std::chrono::seconds now_unix) {
  HONE_ASSIGN(server, net::make_server_certificate(authority, own_names(more_names), {now_unix - kDay, now_unix + kServerLife}));
  HONE_TRY(write_private_file(folder + "/server.key", server.key, "the server's key"));
  return write_private_file(folder + "/server.crt", server.certificate, "the server's certificate");
}

}  // namespace

std::string tls_folder() {
  if (std::string folder = variable("HONE_TLS_DIR"); !folder.empty()) return folder;
  if (std::string folder = variable("XDG_CONFIG_HOME"); !folder.empty()) return folder + "/hone/tls";
  if (std::string home = variable("HOME"); !home.empty()) return home + "/.config/hone/tls";
  return "";
}

bool has_authority(const std::string& folder) {
  return !folder.empty() && access((folder + "/ca.crt").c_str(), F_OK) == 0;
}

std::vector<std::string> own_names(const std::vector<std::string>& more) {
  std::vector<std::string> names{"localhost", "127.0.0.1", "::1"};
  const auto add = [&names](const std::string& name) {
    if (!name.empty() && std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  };
  const std::string host = host_name();
  add(host);
  if (!host.empty() && !host.ends_with(".local")) add(host.substr(0, host.find('.')) + ".local");
  for (const std::string& address : net::own_addresses()) add(address);
  for (const std::string& name : more) add(name);
  return names;
}

Status init_tls(const std::string& folder, const std::vector<std::string>& more_names, std::chrono::seconds now_unix) {
  if (folder.empty())
    return Error{ErrorCode::kInvalidArgument, "there is no folder for the authority; set HONE_TLS_DIR, or HOME"};
  HONE_TRY(make_private_folder(folder));
  for (const char* name : {"/ca.crt", "/ca.key"})
    if (access((folder + name).c_str(), F_OK) == 0)
      return Error{ErrorCode::kInvalidArgument,
                   cat(folder, name, " is there already, and devices may trust it; hone tls renew makes a new certificate by it; to begin "
                       "anew, remove the folder")};
  const std::vector<std::string> names = own_names(more_names);
  HONE_ASSIGN(authority, net::make_authority("hone on " + host_name(), names, {now_unix - kDay, now_unix + kAuthorityLife}));
  HONE_TRY(write_private_file(folder + "/ca.key", authority.key, "the authority's key"));
  HONE_TRY(write_private_file(folder + "/ca.crt", authority.certificate, "the authority's certificate"));
  return write_server(folder, authority, more_names, now_unix);
}

Status renew_tls(const std::string& folder, const std::vector<std::string>& more_names, std::chrono::seconds now_unix) {
  net::Certified authority;
  HONE_ASSIGN(certificate, read_pem(folder + "/ca.crt", "hone tls init makes it"));
  HONE_ASSIGN(key, read_pem(folder + "/ca.key", "hone tls init makes it"));
  authority = {.certificate = std::move(certificate), .key = std::move(key)};
  if (const Status usable = net::check_certified(authority, now_unix); !usable.ok())
    return in_file(usable.error(), folder + "/ca.crt", "remove the folder and run hone tls init");
  return write_server(folder, authority, more_names, now_unix);
}

Result<ServerTls> read_given_tls(const std::string& certificate_file, const std::string& key_file, std::chrono::seconds now_unix) {
  HONE_ASSIGN(certificate, read_pem(certificate_file, "give the certificate in PEM with --tls-cert"));
  HONE_ASSIGN(key, read_pem(key_file, "give its key in PEM with --tls-key"));
  ServerTls tls{.certified = {.certificate = std::move(certificate), .key = std::move(key)}};
  if (const Status usable = net::check_certified(tls.certified, now_unix); !usable.ok())
    return in_file(usable.error(), certificate_file, "give another with --tls-cert and --tls-key");
  return tls;
}

Result<ServerTls> read_server_tls(const std::string& folder, std::chrono::seconds now_unix) {
  const std::string remedy = "hone tls init makes an authority and a certificate";
  if (!has_authority(folder)) return Error{ErrorCode::kNotFound, cat("there is no certificate in ", folder, "; ", remedy)};
  ServerTls tls;
  HONE_ASSIGN(certificate, read_pem(folder + "/server.crt", "hone tls renew makes it"));
  HONE_ASSIGN(key, read_pem(folder + "/server.key", "hone tls renew makes it"));
  HONE_ASSIGN(authority, read_pem(folder + "/ca.crt", remedy));
  tls = {.certified = {.certificate = std::move(certificate), .key = std::move(key)}, .authority = std::move(authority)};
  if (const Status usable = net::check_certified(tls.certified, now_unix); !usable.ok())
    return in_file(usable.error(), folder + "/server.crt", "hone tls renew makes a new one");
  return tls;
}

std::string own_authority_file() {
  const std::string folder = tls_folder();
  return has_authority(folder) ? folder + "/ca.crt" : "";
}

Result<net::TlsContext> client_tls(const std::string& ca_file) {
  const std::string file = ca_file.empty() ? own_authority_file() : ca_file;
  net::Trust trust{.system = ca_file.empty()};
  if (!file.empty()) {
    HONE_ASSIGN(pem, read_pem(file, "give the authority's certificate with --ca"));
    trust.authorities.push_back(std::move(pem));
  }
  auto context = net::client_tls_context(trust);
  if (!context.ok()) return in_file(context.error(), file, "give the authority's certificate with --ca");
  return context;
}

}  // namespace hone::cli
