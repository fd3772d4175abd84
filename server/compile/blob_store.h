// BlobStore: byte strings by their SHA-256, as GET /blob/<sha256> hands them out. In memory, for as long as somebody holds them.
#pragma once
#include <map>
#include <memory>
#include <mutex>
#include <string>

namespace hone::server {

struct Blob {
  std::string sha256;
  std::string bytes;
};
using BlobPtr = std::shared_ptr<const Blob>;

class BlobStore {
 public:
  // The blob stays findable while the returned pointer lives. Equal bytes give the same blob. Any thread.
  BlobPtr put(std::string bytes);
  BlobPtr find(const std::string& sha256);  // null if nobody holds it

 private:
  std::mutex mutex_;
  std::map<std::string, std::weak_ptr<const Blob>> blobs_;
};

}  // namespace hone::server
