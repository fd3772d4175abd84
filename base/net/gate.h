// Gate: who may have a socket. Known peers have shown a token or a lease; all others are strangers, who get a part of what there is: when it is
// used up, a new one takes the place of the oldest, so that whoever comes to greet is heard, whatever waits in silence. Pure.
#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace hone::net {

struct GateLimits {
  size_t sockets_max = 0;
  size_t strangers_max = 0;
  size_t sockets_per_address_max = 0;
  size_t strangers_per_address_max = 0;
};

// What a server may use of so many descriptors of its process.
GateLimits gate_limits(size_t descriptors);

class Gate {
 public:
  using Id = uint64_t;  // 0 = nobody
  explicit Gate(GateLimits limits) : limits_(limits) {}

  // For a new socket of `address`: the stranger whose place it takes, 0 where there is room, nothing where it must be refused.
  std::optional<Id> place_for(const std::string& address) const;
  Id enter(const std::string& address);  // as a stranger
  void greet(Id id);                     // known from here on
  void touch(Id id);                     // a stranger that did something sensible counts as new
  void move(Id id, const std::string& address);  // a proxy says whose it is
  void leave(Id id);

  size_t sockets() const { return sockets_.size(); }
  size_t strangers() const { return strangers_.size(); }

 private:
  struct Socket {
    std::string address;
    uint64_t came = 0;  // 0 = known
  };
  struct Count {
    size_t sockets = 0, strangers = 0;
  };
  void forget_stranger(Socket& socket);
  void forget_socket(const std::string& address);
  Id oldest_of(const std::string& address) const;

  const GateLimits limits_;
  std::map<Id, Socket> sockets_;
  std::map<uint64_t, Id> strangers_;  // by the order in which they came
  std::map<std::string, Count> addresses_;
  Id last_id_ = 0;
  uint64_t last_came_ = 0;
};

}  // namespace hone::net
