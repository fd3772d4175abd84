// Hosts: network namespaces on one bridge, each with an address of its own, as machines of a lab have. Needs root and iproute2.
#pragma once
#include <unistd.h>

#include <cstdlib>
#include <string>
#include <vector>

namespace hone::e2e {

class Hosts {
 public:
  // Why there are none here; "" = there can be.
  static std::string why_not() {
    if (geteuid() != 0) return "network namespaces need root";
    if (std::system("ip netns list > /dev/null 2>&1") != 0) return "iproute2 is not installed";
    const std::string probe = "hone-probe-" + std::to_string(getpid());
    if (!run("ip netns add " + probe)) return "this system lets nobody make network namespaces";
    return run("ip netns del " + probe) ? "" : "a network namespace cannot be removed";
  }

  // The first has the bridge.
  explicit Hosts(int count) {
    for (int i = 0; i < count; ++i) {
      is_made_ &= run("ip netns add " + name(i)) && run("ip -n " + name(i) + " link set lo up");
      if (i == 0) is_made_ &= run("ip -n " + name(0) + " link add br0 type bridge") && run("ip -n " + name(0) + " link set br0 up") && add_address(0, "br0");
      else is_made_ &= connect(i);
      ++count_;
    }
  }
  ~Hosts() {
    for (int i = 0; i < count_; ++i) run("ip netns del " + name(i));
  }
  Hosts(const Hosts&) = delete;

  bool is_made() const { return is_made_; }
  std::string name(int i) const { return "hone-" + std::to_string(getpid()) + "-" + std::to_string(i); }
  static std::string address(int i) { return "10.77.0." + std::to_string(i + 1); }
  // Nothing reaches it from outside any more, and nobody is told; or everything again. Not the first.
  bool cut(int i) { return run("ip -n " + name(0) + " link set port" + std::to_string(i) + " down"); }
  bool mend(int i) { return run("ip -n " + name(0) + " link set port" + std::to_string(i) + " up"); }

 private:
  static bool run(const std::string& command) { return std::system((command + " > /dev/null 2>&1").c_str()) == 0; }
  bool add_address(int i, const std::string& link) { return run("ip -n " + name(i) + " addr add " + address(i) + "/24 dev " + link); }
  bool connect(int i) {
    const std::string port = "port" + std::to_string(i);
    return run("ip -n " + name(0) + " link add " + port + " type veth peer name eth0 netns " + name(i)) && run("ip -n " + name(0) + " link set " + port + " master br0 up") &&
           run("ip -n " + name(i) + " link set eth0 up") && add_address(i, "eth0");
  }

  bool is_made_ = true;
  int count_ = 0;
};

}  // namespace hone::e2e
