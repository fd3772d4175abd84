// OpenSSL's objects with their ends, and what certificate.cc and tls_context.cc both read. Within base/net.
#pragma once
#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/x509.h>

#include <memory>
#include <string>

namespace hone::net {

template <auto kFree>
struct FreedBy {
  template <class T>
  void operator()(T* object) const { kFree(object); }
};
using BioHandle = std::unique_ptr<BIO, FreedBy<BIO_free_all>>;
using KeyHandle = std::unique_ptr<EVP_PKEY, FreedBy<EVP_PKEY_free>>;
using X509Handle = std::unique_ptr<X509, FreedBy<X509_free>>;

X509Handle first_certificate(const std::string& pem);  // null: none
KeyHandle private_key(const std::string& pem);         // null: none, or a passphrase guards it
std::string key_sha256_of(const X509* certificate);    // CertificateFacts::key_sha256

}  // namespace hone::net
