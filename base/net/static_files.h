// StaticFiles: the files of a folder, read once, so that no request waits for a disk. What changes there is served by the next start.
#pragma once
#include <map>
#include <string>
#include <string_view>

#include "base/net/server.h"

namespace hone::net {

class StaticFiles {
 public:
  // The regular files below `folder`, of kStaticFilesMax at most and kStaticBytesMax in all; the rest, and what a link leads to beyond the folder, is not served. No folder: nothing is.
  explicit StaticFiles(const std::string& folder);
  // The file for a request path below `prefix` ("/agent/x.js" → x.js; a path that ends in '/' → index.html), with the type that follows from its extension; 404 for anything else.
  HttpReply reply(std::string_view prefix, std::string_view path) const;

 private:
  std::map<std::string, HttpReply, std::less<>> files_;  // by path below the folder
};

}  // namespace hone::net
