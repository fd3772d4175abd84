// Which service a verb works with.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/options.h"
#include "cli/running_service.h"
#include "cli/service_url.h"

namespace hone::cli {

// The one that --tracker names, else of those that this user runs here the one with the database, else, where --db was not given, the only
// one. Without URL: none. Fails: invalid_argument when several would do, with their URLs.
struct FoundService {
  std::string url;             // with its token
  std::string db;              // absolute; "" where nobody here knows it
  std::string agents_origin;   // ServiceNote's; "" where nobody here knows it
  bool has_database = false;   // that of the options: no other service can have it meanwhile
};
Result<FoundService> find_service(const CommonOptions& options, const std::vector<ServiceNote>& running);
Result<FoundService> find_service(const CommonOptions& options);
// The same for a verb that can do nothing without one. Fails, besides, where there is none.
Result<ServiceUrl> service_of(const CommonOptions& options);
// That URL with the token of --token-file, else its own, else that of HONE_TOKEN. (Else, in find_service, that of this user's note.) Fails: as read_token_file.
Result<std::string> with_token(const std::string& url, const CommonOptions& options);
// Says on stderr which one was found, unless --tracker names it or it is quiet; `more` goes on with the line.
void say_service(const CommonOptions& options, const FoundService& service, const std::string& more = "");

}  // namespace hone::cli
