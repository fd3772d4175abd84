#include "server/compile/blob_store.h"

#include <gtest/gtest.h>

namespace hone::server {
namespace {

TEST(BlobStore, NamesBytesByTheirSha256) {
  // Given the bytes "abc" of FIPS 180's example, when they are put, then their name is the digest of the standard and they are found.
  BlobStore store;
  BlobPtr blob = store.put("abc");
  EXPECT_EQ(blob->sha256, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(store.find(blob->sha256), blob);
  EXPECT_EQ(store.put("abc"), blob);
}

TEST(BlobStore, ForgetsWhatNobodyHolds) {
  // Given a blob, when its last owner lets go, then it is found no more.
  BlobStore store;
  std::string name = store.put("x")->sha256;
  EXPECT_EQ(store.find(name), nullptr);
}

}  // namespace
}  // namespace hone::server
