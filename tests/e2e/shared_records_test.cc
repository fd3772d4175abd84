// Several servers whose records and jobs are in one PostgreSQL database.
#include <gtest/gtest.h>

#include <csignal>

#include "base/cat.h"
#include "base/sql/scratch_database.h"
#include "tests/e2e/hone_command.h"

namespace hone::e2e {
namespace {

using std::chrono::seconds;

std::string first_line(const HoneProcess& process) { return process.out().substr(0, process.out().find('\n')); }

// A tracker with a native agent, and servers of these names.
struct SharedRecords {
  explicit SharedRecords(const std::vector<std::string>& names) {
    tracker = std::make_unique<HoneProcess>(command({"tracker", "--port", "0", "--db", folder / "fleet.db"}));
    EXPECT_TRUE(wait_until(seconds(20), [&] { return tracker->out().find('\n') != std::string::npos; })) << tracker->err();
    url = first_line(*tracker);
    HoneProcess token(command({"tokens", "create", "--role", "server", "--name", "lab", "--out", folder / "server.token", "--tracker", url}));
    EXPECT_EQ(token.wait(seconds(20)), 0) << token.err();
    for (const std::string& name : names) {
      servers.push_back(std::make_unique<HoneProcess>(server_command(name)));
      EXPECT_TRUE(wait_until(seconds(20), [&] { return servers.back()->err().find("connected to the tracker") != std::string::npos; })) << servers.back()->err();
    }
    agent = std::make_unique<HoneProcess>(command({"agent", "--tracker", url, "--browser", "native"}));
    EXPECT_TRUE(wait_until(seconds(40), [&] { return agent->err().find("connected") != std::string::npos; })) << agent->err();
  }

  HoneProcess::Config command(std::vector<std::string> arguments) const { return hone_in(folder, std::move(arguments)); }
  HoneProcess::Config server_command(const std::string& name) const {
    return command({"server", "--port", "0", "--db", postgres.url(), "--name", name, "--tracker", url.substr(0, url.find('#')), "--token-file", folder / "server.token"});
  }
  std::string server_url(int i) const { return first_line(*servers[static_cast<size_t>(i)]) + url.substr(url.find('#')); }
  HoneProcess::Config tune(int server, int trials) const {
    return command({"tune", "--op", "matmul:64x64x64", "--json", "--target", "native", "--trials", std::to_string(trials), "--tracker", server_url(server)});
  }
  int64_t number(const char* sql) const {
    int64_t number = -1;
    auto db = sql::open_database(postgres.url());
    if (db.ok()) (void)(*db)->query(sql, {}, [&number](const sql::Row& row) { return number = row.integer(0), ok_status(); });
    return number;
  }
  // The job ended well with all its trials; no attempt of a candidate was made twice.
  void expect_done(HoneProcess& job, int trials) const {
    ASSERT_EQ(job.wait(seconds(240)), 0) << job.err() << servers[0]->err();
    EXPECT_EQ(nlohmann::json::parse(job.out(), nullptr, false)["tasks"][0]["trials"], trials);
    EXPECT_EQ(number("SELECT count(*) FROM (SELECT 1 FROM attempts WHERE outcome = 'ok' AND origin = 'search' GROUP BY trial HAVING count(*) > 1) AS twice"), 0);
  }

  TempFolder folder;
  sql::ScratchPostgres postgres;
  std::string url;
  std::unique_ptr<HoneProcess> tracker, agent;
  std::vector<std::unique_ptr<HoneProcess>> servers;
};

TEST(SharedRecords, WhatOneServerMeasuredTheOtherKnows) {
  // Given two servers that share a database, when an operator is tuned on the first one and then, with as many trials, on the second, then the second measures no candidate of the first again, and the
  // records of both are listed from the database itself. Each shows its own jobs alone. A third server with a name that is taken is told so.
  SharedRecords farm({"a", "b"});
  HoneProcess first(farm.tune(0, 12));
  farm.expect_done(first, 12);
  const int64_t before = farm.number("SELECT count(*) FROM trials");
  HoneProcess second(farm.tune(1, 12));
  farm.expect_done(second, 12);
  EXPECT_EQ(farm.number("SELECT count(DISTINCT server) FROM jobs"), 2);
  EXPECT_GE(before, 12);
  HoneProcess list(farm.command({"records", "list", "--json", "--db", farm.postgres.url()}));
  ASSERT_EQ(list.wait(seconds(20)), 0) << list.err();
  EXPECT_FALSE(nlohmann::json::parse(list.out(), nullptr, false).is_discarded()) << list.out();
  HoneProcess jobs(farm.command({"jobs", "--json", "--tracker", farm.server_url(1)}));
  ASSERT_EQ(jobs.wait(seconds(20)), 0) << jobs.err();
  EXPECT_EQ(nlohmann::json::parse(jobs.out(), nullptr, false)["jobs"].size(), 1u) << jobs.out();
  HoneProcess third(farm.server_command("b"));
  EXPECT_EQ(third.wait(seconds(20)), 1);
  EXPECT_NE(third.err().find("give another --name"), std::string::npos) << third.err();
}

TEST(SharedRecords, ADatabaseThatDiedComesBack) {
  // Given a job in the middle, when all processes of the database are killed, and it is started anew, then the job ends well, with every trial measured once.
  SharedRecords farm({"a"});
  HoneProcess job(farm.tune(0, 60));
  ASSERT_TRUE(wait_until(seconds(60), [&] { return farm.number("SELECT count(*) FROM attempts") > 3; })) << farm.servers[0]->err();
  farm.postgres.kill();
  ASSERT_EQ(farm.number("SELECT count(*) FROM attempts"), -1);
  farm.postgres.start();
  farm.expect_done(job, 60);
}

}  // namespace
}  // namespace hone::e2e
