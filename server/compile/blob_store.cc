#include "server/compile/blob_store.h"

#include "base/sha256.h"

namespace hone::server {

BlobPtr BlobStore::put(std::string bytes) {
  std::string name = sha256_hex(bytes);
  std::lock_guard lock(mutex_);
  std::erase_if(blobs_, [](const auto& entry) { return entry.second.expired(); });
  if (BlobPtr known = blobs_[name].lock()) return known;
  auto blob = std::make_shared<const Blob>(Blob{name, std::move(bytes)});
  blobs_[name] = blob;
  return blob;
}

BlobPtr BlobStore::find(const std::string& sha256) {
  std::lock_guard lock(mutex_);
  auto found = blobs_.find(sha256);
  return found == blobs_.end() ? nullptr : found->second.lock();
}

}  // namespace hone::server
