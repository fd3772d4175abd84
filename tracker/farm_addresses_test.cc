#include "tracker/farm_addresses.h"

#include <gtest/gtest.h>

#include "base/cat.h"

namespace hone::tracker {
namespace {

net::ConnectTo at(const std::string& origin) { return std::move(address_of(origin)).value(); }
std::string where(const FarmAddresses& farm) { return cat(farm.current().host, ":", farm.current().port); }

TEST(FarmAddresses, AnOriginIsAHostAndAPort) {
  // Given origins with and without a port, when each is read, then it is host and port, and what is none of them is refused.
  EXPECT_EQ(at("http://10.0.0.7:9190").port, 9190);
  EXPECT_EQ(at("https://lab.example/").port, 443);
  EXPECT_TRUE(at("https://lab.example").tls);
  for (const char* wrong : {"", "lab:9190", "ws://lab", "http://", "http://:80", "http://lab:0", "http://lab:99999", "http://lab:1x", "http://a b", "http://lab/agent", "http://u@lab", "http://[::1]:80"})
    EXPECT_FALSE(address_of(wrong).ok()) << wrong;
}

TEST(FarmAddresses, EachIsTriedInTurn) {
  // Given one address and a tracker that tells of three, the first among them, when each fails, then they follow each other, and the first comes again.
  FarmAddresses farm({at("http://a:1")});
  EXPECT_EQ(where(farm), "a:1");
  farm.failed();
  EXPECT_EQ(where(farm), "a:1");
  farm.know({"http://a:1", "http://b:2", "nonsense", "http://c:3"});
  std::string tried;
  for (int i = 0; i < 4; ++i) farm.failed(), tried += where(farm) + " ";
  EXPECT_EQ(tried, "b:2 c:3 a:1 b:2 ");
}

TEST(FarmAddresses, GoesWhereItIsSent) {
  // Given trackers of which one names who has the farm, when it failed itself, then the named one is next, a name of which nobody knew, too; when that fails, then the others are tried.
  FarmAddresses farm({at("http://a:1"), at("http://b:2")});
  farm.failed();
  farm.go_to("http://z:9");
  EXPECT_EQ(where(farm), "z:9");
  farm.failed();
  EXPECT_EQ(where(farm), "a:1");
  farm.failed();
  EXPECT_EQ(where(farm), "b:2");
}

TEST(FarmAddresses, ATokenIsNotSentInTheClear) {
  // Given a farm reached over https, when a tracker names one over http, then it is not gone to.
  FarmAddresses farm({at("https://a:1")});
  farm.know({"http://y:8"});
  farm.failed();
  farm.go_to("http://z:9");
  EXPECT_EQ(where(farm), "a:1");
}

}  // namespace
}  // namespace hone::tracker
