#include "base/guarded.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace hone {
namespace {

TEST(Guarded, TurnsWhatIsThrownIntoAnError) {
  // Given work that returns, fails, finds no memory, asks for too much, or meets a library that throws, when it is guarded, then there is
  // a Result each time.
  EXPECT_EQ(*guarded([]() -> Result<int> { return 7; }), 7);
  EXPECT_EQ(guarded([]() -> Status { return Error{ErrorCode::kNotFound, "gone"}; }).error().message, "gone");
  EXPECT_EQ(guarded([]() -> Status { throw std::bad_alloc(); }).error().code, ErrorCode::kOutOfMemory);
  EXPECT_EQ(guarded([]() -> Status { throw 7; }).error().code, ErrorCode::kInternal);
  EXPECT_EQ(guarded([]() -> Status {
              std::vector<char>().reserve(~size_t{0});
              return ok_status();
            })
                .error()
                .code,
            ErrorCode::kOutOfMemory);
  const auto thrown = guarded([]() -> Result<int> { return std::stoi("seven"); });
  EXPECT_EQ(thrown.error().code, ErrorCode::kInternal);
  EXPECT_NE(thrown.error().message.find("stoi"), std::string::npos);
}

}  // namespace
}  // namespace hone
