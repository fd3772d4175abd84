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

}  // namespace hone
