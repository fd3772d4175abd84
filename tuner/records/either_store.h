// EitherStore: a store in a file, or in PostgreSQL, for tests of what both promise. INSTANTIATE_BOTH(Suite) runs a suite of it on both. Behind <gtest/gtest.h>.
#pragma once
#include <memory>

#include "base/sql/scratch_database.h"
#include "tuner/records/store_folder.h"

namespace hone::tuner {

struct ServerIfAny {
  explicit ServerIfAny(sql::Kind kind) : server(kind == sql::Kind::kPostgres ? std::make_unique<sql::ScratchPostgres>() : nullptr) {}
  const std::unique_ptr<sql::ScratchPostgres> server;
};

class EitherStore : public testing::TestWithParam<sql::Kind>, private ServerIfAny, protected StoreFolder {
 protected:
  EitherStore() : ServerIfAny(GetParam()), StoreFolder(server ? server->url() : "") {}
};

#define INSTANTIATE_BOTH(Suite) \
  INSTANTIATE_TEST_SUITE_P(Both, Suite, testing::Values(sql::Kind::kSqlite, sql::Kind::kPostgres), [](const auto& one) { return sql::name_of(one.param); })

}  // namespace hone::tuner
