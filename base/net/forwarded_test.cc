#include "base/net/forwarded.h"

#include <gtest/gtest.h>

namespace hone::net {
namespace {

TEST(Forwarded, OnlyTrustedProxiesAreBelieved) {
  // Given a trusted proxy, and another before it or a stranger, when requests come with what they add, then the address is the last one that no trusted proxy has.
  const std::vector<std::string> trusted{"127.0.0.1", "10.0.0.2"};
  EXPECT_EQ(client_address("127.0.0.1", "192.168.1.9", trusted), "192.168.1.9");
  EXPECT_EQ(client_address("127.0.0.1", "6.6.6.6, 192.168.1.9 , 10.0.0.2", trusted), "192.168.1.9");
  EXPECT_EQ(client_address("127.0.0.1", "fd00::7", trusted), "fd00::7");
  EXPECT_EQ(client_address("192.168.1.9", "127.0.0.1", trusted), "192.168.1.9");
  EXPECT_EQ(client_address("127.0.0.1", "192.168.1.9", {}), "127.0.0.1");
}

TEST(Forwarded, NonsenseNamesNobody) {
  // Given a trusted proxy that hands on what is no address, when it is read, then the proxy stays who asks.
  for (const char* header : {"", ",", " , ", "unknown", "1.2.3.4, x", "1.2.3.4:80", "<script>"})
    EXPECT_EQ(client_address("127.0.0.1", header, {"127.0.0.1"}), "127.0.0.1") << header;
}

}  // namespace
}  // namespace hone::net
