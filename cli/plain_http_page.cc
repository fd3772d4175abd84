#include "cli/plain_http_page.h"

#include "base/cat.h"

namespace hone::cli {

net::HttpReply plain_http_page(const std::string& origin, bool has_authority) {
  const std::string trust =
      has_authority ? cat("<p>1. Install the <a href=\"", kAuthorityPath,
                          "\">certificate of its authority</a>, once for each device: Android asks for it under Settings, Security, "
                          "Encryption and credentials, Install a certificate, CA certificate; iOS under Settings, Profile downloaded, and then General, About, "
                          "Certificate Trust Settings. Compare its fingerprint with what <code>hone tls show</code> prints.</p>\n<p>2. ")
                    : std::string("<p>");
  const std::string page = cat("<!doctype html>\n<html lang=\"en\"><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width\">"
                               "<title>hone</title>\n<h1>This service speaks https</h1>\n", trust,
                               "Open the URL that <code>hone enroll</code> prints; it begins with <code>", origin, "</code> or the name of that machine.</p>\n");
  return {.status = 400, .content_type = "text/html; charset=utf-8", .body = std::make_shared<const std::string>(page)};
}

}  // namespace hone::cli
