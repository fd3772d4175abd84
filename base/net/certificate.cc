#include "base/net/certificate.h"

#include <arpa/inet.h>
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509v3.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <memory>
#include <optional>

#include "base/base64.h"
#include "base/cat.h"
#include "base/net/openssl_handles.h"
#include "base/utc_text.h"

namespace hone::net {

namespace {

constexpr std::string_view kPrivateNetworks[] = {
    "127.0.0.0/255.0.0.0",    "10.0.0.0/255.0.0.0",     "172.16.0.0/255.240.0.0",
    "192.168.0.0/255.255.0.0", "169.254.0.0/255.255.0.0", "100.64.0.0/255.192.0.0",
    "::1/ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
    "fc00::/fe00::", "fe80::/ffc0::"};

Error openssl_error(const std::string& what) {
  std::array<char, 256> text{};
  ERR_error_string_n(ERR_get_error(), text.data(), text.size());
  return {ErrorCode::kInternal, cat(what, ": ", text.data())};
}

Error unusable(const std::string& what) {
  ERR_clear_error();
  return {ErrorCode::kBadCertificate, what};
}

bool is_address(const std::string& name, int family) {
  std::array<unsigned char, 16> bytes{};
  return inet_pton(family, name.c_str(), bytes.data()) == 1;
}

bool is_host_name(const std::string& name) {
  const auto fits = [](unsigned char c) { return std::isalnum(c) || c == '-' || c == '.' || c == '_'; };
  return !name.empty() && name.size() <= 253 && name.front() != '.' && std::all_of(name.begin(), name.end(), fits);
}

Status check_names(const std::vector<std::string>& names) {
  for (const std::string& name : names)
    if (!is_host_name(name) && !is_address(name, AF_INET) && !is_address(name, AF_INET6))
      return Error{ErrorCode::kInvalidArgument, cat("found ", name, ", expected a host's name or address")};
  return ok_status();
}

// As OpenSSL's configuration has it: "DNS:lab.local,IP:192.168.1.5".
std::string alternative_names(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names)
    text += cat(text.empty() ? "" : ",",
                is_address(name, AF_INET) || is_address(name, AF_INET6) ? "IP:" : "DNS:", name);
  return text;
}

std::string name_constraints(const std::vector<std::string>& names) {
  std::string text = "critical,permitted;DNS:localhost,permitted;DNS:local";
  for (const std::string_view network : kPrivateNetworks) text += cat(",permitted;IP:", network);
  for (const std::string& name : names) {
    if (is_address(name, AF_INET)) text += cat(",permitted;IP:", name, "/255.255.255.255");
    else if (is_address(name, AF_INET6)) text += cat(",permitted;IP:", name, "/ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff");
    else text += cat(",permitted;DNS:", name);
  }
  return text;
}

bool add_extension(X509* to, X509* issuer, int id, const std::string& text) {
  X509V3_CTX context;
  X509V3_set_ctx_nodb(&context);
  X509V3_set_ctx(&context, issuer, to, nullptr, nullptr, 0);
  const std::unique_ptr<X509_EXTENSION, decltype(&X509_EXTENSION_free)> extension(
      X509V3_EXT_conf_nid(nullptr, &context, id, text.c_str()), &X509_EXTENSION_free);
  return extension && X509_add_ext(to, extension.get(), -1) == 1;
}

bool set_random_serial(X509* certificate) {
  std::array<unsigned char, 16> bytes{};
  if (RAND_bytes(bytes.data(), bytes.size()) != 1) return false;
  bytes[0] &= 0x7f;
  const std::unique_ptr<BIGNUM, decltype(&BN_free)> number(BN_bin2bn(bytes.data(), bytes.size(), nullptr), &BN_free);
  return number && BN_to_ASN1_INTEGER(number.get(), X509_get_serialNumber(certificate)) != nullptr;
}

// All but extensions and signature.
X509Handle blank(const std::string& title, EVP_PKEY* key, const Validity& validity) {
  X509Handle made(X509_new());
  if (!made || !set_random_serial(made.get())) return nullptr;
  X509_NAME* name = X509_get_subject_name(made.get());
  const std::string common_name = title.substr(0, 64);
  const bool filled =
      X509_set_version(made.get(), 2) == 1 &&
      X509_NAME_add_entry_by_txt(name, "O", MBSTRING_UTF8, reinterpret_cast<const unsigned char*>("hone"), -1, -1, 0) == 1 &&
      X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_UTF8, reinterpret_cast<const unsigned char*>(common_name.c_str()), -1, -1, 0) == 1 &&
      ASN1_TIME_set(X509_getm_notBefore(made.get()), validity.from_unix.count()) &&
      ASN1_TIME_set(X509_getm_notAfter(made.get()), validity.until_unix.count()) && X509_set_pubkey(made.get(), key) == 1;
  return filled ? std::move(made) : nullptr;
}

std::string text_of(BIO* bio) {
  char* bytes = nullptr;
  const long length = BIO_get_mem_data(bio, &bytes);
  return {bytes, static_cast<size_t>(std::max(0L, length))};
}

std::string pem_of(X509* certificate) {
  const BioHandle bio(BIO_new(BIO_s_mem()));
  return bio && PEM_write_bio_X509(bio.get(), certificate) == 1 ? text_of(bio.get()) : "";
}

std::string pem_of(EVP_PKEY* key) {
  const BioHandle bio(BIO_new(BIO_s_mem()));
  return bio && PEM_write_bio_PKCS8PrivateKey(bio.get(), key, nullptr, nullptr, 0, nullptr, nullptr) == 1 ? text_of(bio.get()) : "";
}

Result<Certified> finish(X509* certificate, EVP_PKEY* key, X509* issuer, EVP_PKEY* issuer_key) {
  if (X509_set_issuer_name(certificate, X509_get_subject_name(issuer)) != 1 || X509_sign(certificate, issuer_key, EVP_sha256()) == 0)
    return openssl_error("a certificate cannot be signed");
  return Certified{.certificate = pem_of(certificate), .key = pem_of(key)};
}

std::chrono::seconds unix_time(const ASN1_TIME* time) {
  std::tm utc{};
  return std::chrono::seconds(ASN1_TIME_to_tm(time, &utc) == 1 ? timegm(&utc) : 0);
}

std::string address_text(const ASN1_OCTET_STRING* address) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  const int family = ASN1_STRING_length(address) == 4 ? AF_INET : AF_INET6;
  if (ASN1_STRING_length(address) != 4 && ASN1_STRING_length(address) != 16) return "";
  return inet_ntop(family, ASN1_STRING_get0_data(address), text.data(), text.size()) ? text.data() : "";
}

std::vector<std::string> names_of(const X509* certificate) {
  std::vector<std::string> names;
  const std::unique_ptr<GENERAL_NAMES, decltype(&GENERAL_NAMES_free)> all(
      static_cast<GENERAL_NAMES*>(X509_get_ext_d2i(certificate, NID_subject_alt_name, nullptr, nullptr)), &GENERAL_NAMES_free);
  for (int i = 0; all && i < sk_GENERAL_NAME_num(all.get()); ++i) {
    const GENERAL_NAME* one = sk_GENERAL_NAME_value(all.get(), i);
    if (one->type == GEN_DNS)
      names.emplace_back(reinterpret_cast<const char*>(ASN1_STRING_get0_data(one->d.dNSName)),
                         static_cast<size_t>(ASN1_STRING_length(one->d.dNSName)));
    else if (one->type == GEN_IPADD) names.push_back(address_text(one->d.iPAddress));
  }
  return names;
}

std::string fingerprint_of(const X509* certificate) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned size = 0;
  if (X509_digest(certificate, EVP_sha256(), digest.data(), &size) != 1) return "";
  std::string text;
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  for (unsigned i = 0; i < size; ++i) text += cat(i == 0 ? "" : ":", kDigits[digest[i] >> 4], kDigits[digest[i] & 15]);
  return text;
}

std::string day_of(std::chrono::seconds time_unix) { return utc_text(std::chrono::milliseconds(time_unix).count()).substr(0, 10); }

}  // namespace

X509Handle first_certificate(const std::string& pem) {
  const BioHandle bio(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
  return X509Handle(bio ? PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr) : nullptr);
}

// An encrypted key is refused: nobody is asked for a passphrase.
KeyHandle private_key(const std::string& pem) {
  const BioHandle bio(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
  const auto no_passphrase = [](char*, int, int, void*) { return 0; };
  return KeyHandle(bio ? PEM_read_bio_PrivateKey(bio.get(), nullptr, no_passphrase, nullptr) : nullptr);
}

std::string key_sha256_of(const X509* certificate) {
  unsigned char* der = nullptr;
  const int length = i2d_X509_PUBKEY(X509_get_X509_PUBKEY(certificate), &der);
  if (length <= 0) return "";
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned size = 0;
  const bool made = EVP_Digest(der, static_cast<size_t>(length), digest.data(), &size, EVP_sha256(), nullptr) == 1;
  OPENSSL_free(der);
  return made ? base64({reinterpret_cast<const char*>(digest.data()), size}) : "";
}

Result<Certified> make_authority(const std::string& title, const std::vector<std::string>& names, const Validity& validity) {
  HONE_TRY(check_names(names));
  const KeyHandle key(EVP_EC_gen("P-256"));
  const X509Handle made = key ? blank(title, key.get(), validity) : nullptr;
  const bool extended = made && add_extension(made.get(), made.get(), NID_basic_constraints, "critical,CA:TRUE,pathlen:0") &&
                        add_extension(made.get(), made.get(), NID_key_usage, "critical,keyCertSign,cRLSign") &&
                        add_extension(made.get(), made.get(), NID_subject_key_identifier, "hash") &&
                        add_extension(made.get(), made.get(), NID_name_constraints, name_constraints(names));
  if (!extended) return openssl_error("an authority cannot be made");
  return finish(made.get(), key.get(), made.get(), key.get());
}

Result<Certified> make_server_certificate(const Certified& authority, const std::vector<std::string>& names, const Validity& validity) {
  HONE_TRY(check_names(names));
  const X509Handle issuer = first_certificate(authority.certificate);
  const KeyHandle issuer_key = private_key(authority.key);
  if (!issuer || !issuer_key) return unusable("the authority's certificate or its key is damaged");
  const KeyHandle key(EVP_EC_gen("P-256"));
  const X509Handle made = key ? blank("hone server", key.get(), validity) : nullptr;
  const bool extended = made && add_extension(made.get(), issuer.get(), NID_basic_constraints, "critical,CA:FALSE") &&
                        add_extension(made.get(), issuer.get(), NID_key_usage, "critical,digitalSignature") &&
                        add_extension(made.get(), issuer.get(), NID_ext_key_usage, "serverAuth") &&
                        add_extension(made.get(), issuer.get(), NID_subject_key_identifier, "hash") &&
                        add_extension(made.get(), issuer.get(), NID_authority_key_identifier, "keyid") &&
                        add_extension(made.get(), issuer.get(), NID_subject_alt_name, alternative_names(names));
  if (!extended) return openssl_error("a server's certificate cannot be made");
  HONE_ASSIGN(server, finish(made.get(), key.get(), issuer.get(), issuer_key.get()));
  server.certificate += authority.certificate;
  return server;
}

Result<CertificateFacts> read_certificate(const std::string& pem) {
  const X509Handle certificate = first_certificate(pem);
  if (!certificate) return unusable("found no certificate, expected PEM: -----BEGIN CERTIFICATE-----");
  std::array<char, 256> title{};
  X509_NAME_get_text_by_NID(X509_get_subject_name(certificate.get()), NID_commonName, title.data(), title.size());
  return CertificateFacts{.title = title.data(),
                          .names = names_of(certificate.get()),
                          .validity = {unix_time(X509_get0_notBefore(certificate.get())), unix_time(X509_get0_notAfter(certificate.get()))},
                          .fingerprint = fingerprint_of(certificate.get()),
                          .key_sha256 = key_sha256_of(certificate.get())};
}

Status check_certified(const Certified& certified, std::chrono::seconds now_unix) {
  HONE_ASSIGN(facts, read_certificate(certified.certificate));
  const X509Handle certificate = first_certificate(certified.certificate);
  const KeyHandle key = private_key(certified.key);
  if (!key) return unusable("found no private key, expected PEM without a passphrase: -----BEGIN PRIVATE KEY-----");
  if (X509_check_private_key(certificate.get(), key.get()) != 1) return unusable("the key is not that of the certificate");
  if (now_unix > facts.validity.until_unix) return unusable(cat("the certificate expired on ", day_of(facts.validity.until_unix)));
  if (now_unix < facts.validity.from_unix)
    return unusable(cat("the certificate is valid from ", day_of(facts.validity.from_unix), " on only; is this machine's clock right?"));
  return ok_status();
}

}  // namespace hone::net
