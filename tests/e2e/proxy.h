// Proxy: stands between a service and those who connect to it, and does to their connections what networks do. Its own thread.
#pragma once
#include <chrono>
#include <cstddef>
#include <string>

namespace hone::e2e {

class Proxy {
 public:
  // Up: from whoever connects to the service.
  enum class Way { kUp, kDown };
  enum class End { kReset, kFin };

  // Listens on a free port of 127.0.0.1 and leads to `port`. The addresses in Host and Origin are made the service's.
  explicit Proxy(const std::string& port);
  ~Proxy();
  Proxy(const Proxy&) = delete;

  std::string port() const;
  // `url` of the service, through here.
  std::string through(const std::string& url) const;

  // All connections whose request begins with this path, "/ws/session", are reset: both ends get an RST. How many they were.
  int reset(const std::string& path);
  // Once so many bytes more have gone this way on one of them, which is in the middle of a frame as a rule, both ends get an RST or a FIN. How many they were.
  int cut(const std::string& path, Way way, size_t after_bytes, End end);
  // From now on nothing is forwarded on them in either direction, and nobody is told. New connections work. How many they were.
  int fall_silent(const std::string& path);
  // The same of one direction: what goes the other way arrives.
  int lose(const std::string& path, Way way);
  // From now on each piece takes so long, and a direction of a connection takes no more than so many bytes in a second; 0 = as fast as it can. Of all connections, also new ones.
  void slow_down(std::chrono::milliseconds latency, size_t bytes_per_s = 0);
  // How many connections of this path are open, and not silent.
  int open(const std::string& path) const;
  // How many connections of this path were ever made.
  int connections(const std::string& path) const;

 private:
  struct Impl;
  Impl* const impl_;
};

}  // namespace hone::e2e
