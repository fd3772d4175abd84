// Proxy: stands between a service and those who connect to it, and does to their connections what networks do. Its own thread.
#pragma once
#include <string>

namespace hone::e2e {

class Proxy {
 public:
  // Listens on a free port of 127.0.0.1 and leads to `port`. The addresses in Host and Origin are made the service's.
  explicit Proxy(const std::string& port);
  ~Proxy();
  Proxy(const Proxy&) = delete;

  std::string port() const;
  // `url` of the service, through here.
  std::string through(const std::string& url) const;

  // All connections whose request begins with this path, "/ws/session", are reset: both ends get an RST. How many they were.
  int reset(const std::string& path);
  // From now on nothing is forwarded on them in either direction, and nobody is told. New connections work. How many they were.
  int fall_silent(const std::string& path);
  // How many connections of this path are open, and not silent.
  int open(const std::string& path) const;
  // How many connections of this path were ever made.
  int connections(const std::string& path) const;

 private:
  struct Impl;
  Impl* const impl_;
};

}  // namespace hone::e2e
