// FarmAddresses: where the trackers of a farm are, for who looks for the one that has it. Pure.
#pragma once
#include <string>
#include <vector>

#include "base/net/client.h"
#include "base/result.h"

namespace hone::tracker {

// Of "https://lab.example" or "http://10.0.0.7:9190". Fails: invalid_argument.
Result<net::ConnectTo> address_of(const std::string& origin);

class FarmAddresses {
 public:
  // given: at least one; they stay, whatever trackers say. Where the first has https, the others must, too: a token goes there.
  explicit FarmAddresses(std::vector<net::ConnectTo> given);

  const net::ConnectTo& current() const { return current_; }
  // What a tracker says of its farm; takes the place of what was said before. What is no address is left out.
  void know(const std::vector<std::string>& origins);
  // The current one does not have the farm, or does not answer: the next.
  void failed();
  // It said, besides, who has it: that one.
  void go_to(const std::string& origin);

 private:
  void add(const std::string& origin);

  const size_t given_;
  std::vector<net::ConnectTo> known_;  // the given ones first
  net::ConnectTo current_;
  size_t at_ = 0;  // in known_
};

}  // namespace hone::tracker
