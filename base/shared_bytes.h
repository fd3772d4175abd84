// Bytes that several hold and none copies: a string of their own, or a part of what someone else keeps (a mapped file, a frame).
#pragma once
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace hone {

// Null: there are none. They need not be aligned: elements are read by memcpy.
using SharedBytes = std::shared_ptr<const std::string_view>;

inline SharedBytes shared_bytes(std::string bytes) {
  struct Held {
    explicit Held(std::string b) : bytes(std::move(b)), view(bytes) {}
    std::string bytes;
    std::string_view view;
  };
  auto held = std::make_shared<const Held>(std::move(bytes));
  return {held, &held->view};
}

// `view` lies within what `owner` keeps alive.
inline SharedBytes shared_part(std::shared_ptr<const void> owner, std::string_view view) {
  struct Part {
    std::shared_ptr<const void> owner;
    std::string_view view;
  };
  auto part = std::make_shared<const Part>(Part{std::move(owner), view});
  return {part, &part->view};
}

}  // namespace hone
