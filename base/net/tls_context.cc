#include "base/net/tls_context.h"

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include "base/cat.h"
#include "base/net/openssl_handles.h"

namespace hone::net {

namespace {

Error unusable_certificate(const std::string& what) {
  ERR_clear_error();
  return {ErrorCode::kBadCertificate, what};
}

// A reading error ends the list as its end does: what comes behind a damaged certificate is not trusted.
int add_authorities(X509_STORE* store, const std::string& pem) {
  const BioHandle bio(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
  int added = 0;
  while (bio) {
    const X509Handle one(PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr));
    if (!one || X509_STORE_add_cert(store, one.get()) != 1) break;
    ++added;
  }
  ERR_clear_error();
  return added;
}

bool add_chain(SSL_CTX* context, const std::string& pem) {
  const BioHandle bio(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
  const X509Handle own(bio ? PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr) : nullptr);
  if (!own || SSL_CTX_use_certificate(context, own.get()) != 1) return false;
  while (const X509Handle next{PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr)})
    if (SSL_CTX_add1_chain_cert(context, next.get()) != 1) return false;
  ERR_clear_error();
  return true;
}

}  // namespace

Result<TlsContext> client_tls_context(const Trust& trust) {
  TlsContext context(SSL_CTX_new(TLS_client_method()), SSL_CTX_free);
  if (!context) return Error{ErrorCode::kOutOfMemory, "no memory for TLS"};
  SSL_CTX_set_min_proto_version(context.get(), TLS1_2_VERSION);
  SSL_CTX_set_verify(context.get(), SSL_VERIFY_PEER, nullptr);
  SSL_CTX_set_mode(context.get(), SSL_MODE_RELEASE_BUFFERS);
  if (trust.system) SSL_CTX_set_default_verify_paths(context.get());
  for (const std::string& pem : trust.authorities)
    if (add_authorities(SSL_CTX_get_cert_store(context.get()), pem) == 0)
      return unusable_certificate("found no certificate of an authority, expected PEM: -----BEGIN CERTIFICATE-----");
  return context;
}

bool expect_host(SSL* ssl, const std::string& host) {
  X509_VERIFY_PARAM* expected = SSL_get0_param(ssl);
  if (X509_VERIFY_PARAM_set1_ip_asc(expected, host.c_str()) == 1) return true;
  X509_VERIFY_PARAM_set_hostflags(expected, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
  return X509_VERIFY_PARAM_set1_host(expected, host.c_str(), host.size()) == 1 && SSL_set_tlsext_host_name(ssl, host.c_str()) == 1;
}

std::string verify_problem(SSL* ssl) {
  const long result = SSL_get_verify_result(ssl);
  switch (result) {
    case X509_V_OK: return "";
    case X509_V_ERR_CERT_HAS_EXPIRED: return "its certificate has expired";
    case X509_V_ERR_CERT_NOT_YET_VALID: return "its certificate is not valid yet; is this machine's clock right?";
    case X509_V_ERR_HOSTNAME_MISMATCH: return "its certificate is for another name";
    case X509_V_ERR_IP_ADDRESS_MISMATCH: return "its certificate is for another address";
    case X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN:
    case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT:
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT:
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
    case X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE:
    case X509_V_ERR_CERT_SIGNATURE_FAILURE: return "its certificate is by an authority that is not trusted here";
    default: return cat("its certificate is refused: ", X509_verify_cert_error_string(result));
  }
}

std::string peer_key_sha256(SSL* ssl) {
  const X509Handle certificate(SSL_get1_peer_certificate(ssl));
  return certificate ? key_sha256_of(certificate.get()) : "";
}

namespace {

// Sessions are not kept and idle connections give their buffers back: an agent stays connected for days, and there are thousands.
Status prepare_server(SSL_CTX* context, const Certified& certified) {
  SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS);
  const KeyHandle key = private_key(certified.key);
  if (!add_chain(context, certified.certificate) || !key || SSL_CTX_use_PrivateKey(context, key.get()) != 1)
    return unusable_certificate("the certificate or its key cannot be used");
  return ok_status();
}

}  // namespace

Status ServerCertificate::set_up(SSL_CTX* context, const Certified& certified) {
  SSL_CTX_set_cert_cb(context, &on_handshake, this);
  return prepare_server(context, certified);
}

// A context of its own: in one that had a certificate of another kind of key, both would be shown, to whom each suits.
Status ServerCertificate::renew(const Certified& certified) {
  TlsContext fresh(SSL_CTX_new(TLS_server_method()), SSL_CTX_free);
  if (!fresh) return Error{ErrorCode::kOutOfMemory, "no memory for TLS"};
  HONE_TRY(prepare_server(fresh.get(), certified));
  renewed_ = std::move(fresh);
  return ok_status();
}

// The connection keeps its context: libwebsockets knows its server by it.
int ServerCertificate::on_handshake(SSL* ssl, void* self) {
  SSL_CTX* const renewed = static_cast<const ServerCertificate*>(self)->renewed_.get();
  if (!renewed) return 1;
  STACK_OF(X509)* chain = nullptr;
  SSL_CTX_get0_chain_certs(renewed, &chain);
  SSL_certs_clear(ssl);
  return SSL_use_cert_and_key(ssl, SSL_CTX_get0_certificate(renewed), SSL_CTX_get0_privatekey(renewed), chain, 1);
}

}  // namespace hone::net
