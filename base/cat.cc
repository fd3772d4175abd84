#include "base/cat.h"

namespace hone {

void CatPart::append_to(std::string& out) const {
  switch (kind_) {
    case Kind::kText: out += text_; break;
    case Kind::kChar: out += char_; break;
    case Kind::kSigned: out += std::to_string(signed_); break;
    case Kind::kUnsigned: out += std::to_string(unsigned_); break;
    case Kind::kReal: out += std::to_string(real_); break;
  }
}

std::string cat_all(std::initializer_list<CatPart> parts) {
  std::string out;
  for (const CatPart& part : parts) part.append_to(out);
  return out;
}

std::string cat(CatIn a) { return cat_all({a}); }
std::string cat(CatIn a, CatIn b) { return cat_all({a, b}); }
std::string cat(CatIn a, CatIn b, CatIn c) { return cat_all({a, b, c}); }
std::string cat(CatIn a, CatIn b, CatIn c, CatIn d) { return cat_all({a, b, c, d}); }
std::string cat(CatIn a, CatIn b, CatIn c, CatIn d, CatIn e) { return cat_all({a, b, c, d, e}); }
std::string cat(CatIn a, CatIn b, CatIn c, CatIn d, CatIn e, CatIn f) { return cat_all({a, b, c, d, e, f}); }

}  // namespace hone
