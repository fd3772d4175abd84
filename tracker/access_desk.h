// AccessDesk: Access with the tokens of a store. Whoever it lets in is told when their token ends.
#pragma once
#include <map>
#include <memory>

#include "tracker/access.h"
#include "tracker/enrolment_codes.h"
#include "tracker/token_table.h"

namespace hone::tracker {

class AccessDesk : public Access {
 public:
  // Commits the writes, then performs the effects, of which it asks for Then alone; on the loop's thread.
  using Apply = std::function<void(Outcome)>;
  AccessDesk(const Clock& steady, const Clock& wall, MakeSecret make_secret, Apply apply);

  // Once, before anything else. service_token: what kServiceToken is from now on.
  void restore(const std::vector<StoredToken>& tokens, const std::string& service_token);
  // Time passed. Whoever is connected uses their token; whose token has expired meanwhile is told.
  void tick();

  Result<Identity> admit(const std::string& token);
  void admit(const std::string& token, std::function<void(Result<Identity>)> done) override { done(admit(token)); }
  std::function<void()> attend(const std::string& token_id, std::function<void(Error)> on_end) override;
  void enrol(const std::string& code, std::function<void(Result<protocol::TokenCreated>)> done) override;
  Result<protocol::Enrolment> make_code(const std::string& name) override;
  void create(const protocol::CreateToken& wanted, std::function<void(Result<protocol::TokenCreated>)> done) override;
  void rotate(const std::string& token_id, std::function<void(Result<protocol::TokenCreated>)> done) override;
  void revoke(const std::string& token_id, std::function<void(Status)> done) override;
  Result<std::vector<protocol::TokenInfo>> tokens(const std::string& after, size_t count_max) const override;

 private:
  struct Visit {
    std::string token_id;
    std::function<void(Error)> on_end;
  };
  using Visits = std::map<uint64_t, Visit>;
  void end_visits(const std::string& token_id, const Error& why);

  const Clock& steady_;
  std::chrono::milliseconds looked_{0};  // when the visitors' tokens were last looked at
  TokenTable table_;
  EnrolmentCodes codes_;
  const Apply apply_;
  const std::shared_ptr<Visits> visits_ = std::make_shared<Visits>();
  uint64_t last_visit_ = 0;
};

}  // namespace hone::tracker
