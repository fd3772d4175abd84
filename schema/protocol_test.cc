#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "base/net/frame.h"
#include "schema/message.h"

namespace hone::protocol {
namespace {

std::string read_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(file), {});
}

std::string unhex(const std::string& text) {
  std::string bytes;
  for (size_t i = 0; i + 1 < text.size(); i += 2) bytes += static_cast<char>(std::stoi(text.substr(i, 2), nullptr, 16));
  return bytes;
}

// The header of a decoded message, written again.
template <class Union>
Result<nlohmann::json> decode_again(const net::FrameView& frame, size_t bytes) {
  HONE_ASSIGN(message, decode_text<Union>(frame.header, bytes));
  return std::visit([](const auto& m) { return nlohmann::json::parse(encode(m)); }, message);
}

Result<nlohmann::json> decode_golden(const std::string& union_name, const std::string& bytes) {
  HONE_ASSIGN(frame, net::decode_frame(bytes));
  if (union_name == "ControlFromAgent") return decode_again<ControlFromAgent>(frame, bytes.size());
  if (union_name == "ControlFromTracker") return decode_again<ControlFromTracker>(frame, bytes.size());
  if (union_name == "SessionFromAgent") return decode_again<SessionFromAgent>(frame, bytes.size());
  if (union_name == "SessionFromServer") return decode_again<SessionFromServer>(frame, bytes.size());
  if (union_name == "ClientFromClient") return decode_again<ClientFromClient>(frame, bytes.size());
  if (union_name == "ClientFromService") return decode_again<ClientFromService>(frame, bytes.size());
  if (union_name == "ServerFromServer") return decode_again<ServerFromServer>(frame, bytes.size());
  if (union_name == "ServerFromTracker") return decode_again<ServerFromTracker>(frame, bytes.size());
  return Error{ErrorCode::kInternal, "no such union: " + union_name};
}

TEST(Protocol, GoldenFrames) {
  // Given the golden frames, when each is decoded and written again, then a valid one is the same and a bad one is refused with its reason.
  int valid = 0, refused = 0;
  for (const auto& entry : std::filesystem::directory_iterator(HONE_FRAMES_DIR)) {
    if (entry.path().extension() != ".json") continue;
    SCOPED_TRACE(entry.path().filename());
    const auto about = nlohmann::json::parse(read_file(entry.path()));
    const std::string bytes = read_file(std::filesystem::path(entry.path()).replace_extension(".bin"));
    ASSERT_FALSE(bytes.empty());
    const auto again = decode_golden(about["union"], bytes);
    if (about["valid"]) {
      ASSERT_TRUE(again.ok()) << again.error().message;
      EXPECT_EQ(*again, about["header"]);
      EXPECT_EQ(net::decode_frame(bytes)->payload, unhex(about.value("payload_hex", "")));
      ++valid;
    } else {
      ASSERT_FALSE(again.ok());
      EXPECT_EQ(again.error().code, ErrorCode::kProtocolError);
      EXPECT_NE(again.error().message.find(about["error"].get<std::string>()), std::string::npos) << again.error().message;
      ++refused;
    }
  }
  EXPECT_GE(valid, 8);
  EXPECT_GE(refused, 8);
}

TEST(Protocol, AFlippedBitOrACutIsRefusedOrIsAnotherMessage) {
  // Given each golden frame that is valid, when one of its bits is flipped, or it ends early, then it is refused as a protocol_error with a short sentence, or is a message that may be written and read again.
  for (const auto& entry : std::filesystem::directory_iterator(HONE_FRAMES_DIR)) {
    if (entry.path().extension() != ".json") continue;
    const auto about = nlohmann::json::parse(read_file(entry.path()));
    if (!about["valid"]) continue;
    SCOPED_TRACE(entry.path().filename());
    const std::string bytes = read_file(std::filesystem::path(entry.path()).replace_extension(".bin")), name = about["union"];
    const auto expect_sound = [&](const std::string& damaged) {
      const auto again = decode_golden(name, damaged);
      if (again.ok()) {
        EXPECT_EQ(decode_golden(name, net::encode_frame(again->dump()).value()).value(), *again);
      } else {
        EXPECT_EQ(again.error().code, ErrorCode::kProtocolError);
        EXPECT_LT(again.error().message.size(), 1'000u);
      }
    };
    for (size_t i = 0; i < bytes.size() && !testing::Test::HasFailure(); ++i) {
      std::string damaged = bytes;
      for (int bit = 0; bit < 8; ++bit, damaged[i] = bytes[i]) {
        damaged[i] = static_cast<char>(damaged[i] ^ (1 << bit));
        expect_sound(damaged);
      }
      expect_sound(bytes.substr(0, i));
    }
  }
}

TEST(Protocol, NamesTheFieldThatIsWrong) {
  // Given a hello whose timer has a text for a number, when it is decoded, then the error names the path; with a number it passes.
  auto header = nlohmann::json::parse(read_file(std::string(HONE_FRAMES_DIR) + "/hello.json"))["header"];
  ASSERT_TRUE(from_json<Hello>(header).ok());
  header["devices"][0]["timer"]["quantum_ns"] = "fast";
  const auto hello = from_json<Hello>(header);
  ASSERT_FALSE(hello.ok());
  EXPECT_EQ(hello.error().message, "hello.devices[0].timer.quantum_ns: expected a number, found string");
}

TEST(Protocol, RefusesWhatIsNestedTooDeep) {
  // Given a job whose options are lists within lists, when its text is decoded, then 40 levels pass and a hundred thousand are refused before
  // anything is built of them; so is a value of that depth in any other field, and as a whole header.
  const auto nested = [](size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); };
  const auto submit = [&](size_t depth) {
    SubmitJob job{.id = 1};
    std::string text = encode(job);
    text.insert(text.find("\"kind\":\"tune\""), "\"options\":" + nested(depth) + ",");
    return decode_text<ClientFromClient>(text, text.size());
  };
  EXPECT_TRUE(submit(40).ok()) << submit(40).error().message;
  EXPECT_NE(submit(100'000).error().message.find("100002 levels"), std::string::npos)
      << submit(100'000).error().message;
  EXPECT_FALSE(
      decode_text<SessionFromAgent>("{\"kind\":\"result\",\"outcome\":" + nested(250'000) + "}", 600'000).ok());
  EXPECT_FALSE(decode_text<ControlFromAgent>(std::string(8 << 20, '['), 8 << 20).ok());
}

TEST(Protocol, ErrorsQuoteShortly) {
  // Given fields of the wrong kind that hold 80 kB, when they are decoded, then the error stays below a kilobyte and names the field.
  const std::string text(80'000, 'x');
  const auto error = [](const nlohmann::json& header) { return from_json<JobFailed>(header).error().message; };
  for (const nlohmann::json& wrong :
       {nlohmann::json(text), nlohmann::json::array({text, text}), nlohmann::json{{"a", text}}}) {
    const std::string message = error({{"kind", "job_failed"}, {"job", "j"}, {"code", wrong}, {"message", ""}});
    EXPECT_LT(message.size(), 1'000u);
    EXPECT_NE(message.find("job_failed.code"), std::string::npos) << message;
  }
  const auto key = from_json<Fingerprint>({{"target", "webgpu"},
                                           {"vendor", ""},
                                           {"architecture", ""},
                                           {"device", ""},
                                           {"description", ""},
                                           {"backend", ""},
                                           {"browser", ""},
                                           {"browser_major", 1},
                                           {"os", ""},
                                           {"features", nlohmann::json::array()},
                                           {"limits", {{text, "no number"}}}});
  ASSERT_FALSE(key.ok());
  EXPECT_LT(key.error().message.size(), 1'000u);
}

TEST(Protocol, LimitsHold) {
  // Given strings and lists at their limits and one beyond, when they are decoded, then only the ones beyond are refused.
  const auto watch = [](size_t bytes) {
    return from_json<WatchAgent>({{"kind", "watch_agent"}, {"id", 1}, {"launch_id", std::string(bytes, 'x')}}).ok();
  };
  EXPECT_TRUE(watch(64));
  EXPECT_FALSE(watch(65));
  CandidateResult result;
  result.samples_us.assign(4096, 1.0);
  EXPECT_TRUE(from_json<CandidateResult>(to_json(result)).ok());
  result.samples_us.push_back(1.0);
  EXPECT_FALSE(from_json<CandidateResult>(to_json(result)).ok());
}

TEST(Protocol, FrameLimitOfTheKindHolds) {
  // Given a heartbeat, when its frame is said to be larger than a heartbeat may be, then it is refused; at the limit it passes.
  const auto header = to_json(Heartbeat{.seq = 1});
  EXPECT_TRUE(decode<ControlFromAgent>(header, Heartbeat::kBytesMax).ok());
  EXPECT_FALSE(decode<ControlFromAgent>(header, Heartbeat::kBytesMax + 1).ok());
}

TEST(Protocol, WhatJsonCannotSayIsStillSent) {
  // Given a result with an infinite error and driver's words that are not UTF-8, when it is encoded, then it decodes, with 1e308 and a replacement.
  CandidateResult result{.outcome = ErrorCode::kWrongOutput, .message = "bad \xff byte"};
  result.max_error = std::numeric_limits<double>::infinity();
  const auto again = decode_text<SessionFromAgent>(encode(result), 1000);
  ASSERT_TRUE(again.ok()) << again.error().message;
  EXPECT_EQ(std::get<CandidateResult>(*again).max_error, 1e308);
  EXPECT_EQ(std::get<CandidateResult>(*again).message, "bad \xef\xbf\xbd byte");
  EXPECT_EQ(std::get<CandidateResult>(*again).outcome, ErrorCode::kWrongOutput);
}

TEST(Protocol, ErrorNamesAndNumbersAreOneToOne) {
  // Given every code's name, when it is looked up, then the same code comes back; a wrong name gives none.
  for (int number = 0; number < 100; ++number) {
    const auto code = static_cast<ErrorCode>(number);
    if (error_name(code) == "unknown") continue;
    EXPECT_EQ(error_from_name(error_name(code)), code);
  }
  EXPECT_EQ(error_from_name("not_found"), ErrorCode::kNotFound);
  EXPECT_EQ(error_from_name("nope"), std::nullopt);
}

}  // namespace
}  // namespace hone::protocol
