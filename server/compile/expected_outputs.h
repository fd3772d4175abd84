// ExpectedOutputs: what each task's kernels must compute, and on which inputs. Computed once per task on the workers, then kept in memory and in a
// folder under the task's id, so that a second run waits for nothing.
#pragma once
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/cancel.h"
#include "base/hash.h"
#include "base/result.h"
#include "codegen/emit/llvm/reference.h"
#include "codegen/te/task.h"
#include "server/compile/blob_store.h"
#include "tuner/search/executor.h"

namespace hone::server {

// One output: f32, logical row-major (i32 and u32: their own bits; kUnspecifiedBits where it is not determined).
struct ExpectedOutput {
  BlobPtr blob;
  double largest = 0, median = 0;  // of the magnitudes of its elements of f32: of the finite ones, and of those that are not 0
};

struct Expected {
  double tolerance = 0;            // as emit::Reference
  std::vector<ValueRange> ranges;  // per input of the task
  std::vector<std::vector<ExpectedOutput>> sets;  // outputs for each set of inputs, one at least
  std::vector<uint64_t> more_seeds;               // as emit::Reference
};
using ExpectedPtr = std::shared_ptr<const Expected>;

class ExpectedOutputs {
 public:
  using Reference = std::function<Result<emit::Reference>(const te::Task&, const CancelToken*)>;
  using IsWanted = std::function<bool()>;  // any thread; false for good: who asked needs it no more
  using OnReady = std::function<void(Result<ExpectedPtr>)>;
  struct Config {
    std::string folder;   // "" = memory only; made when it is not there
    Reference reference;  // called on a worker
  };
  ExpectedOutputs(Config config, tuner::Executor& workers, BlobStore& blobs);

  // Any thread. `on_ready` is called once, at once or on a worker. The task outlives the call to on_ready. Several requests for one
  // task compute it once.
  void request(const te::Task& task, IsWanted is_wanted, OnReady on_ready);
  // Any thread. Ends the work that nobody wants any more; who asked for it is answered with kCancelled.
  void cancel_unwanted();

 private:
  struct Request {
    IsWanted is_wanted;
    OnReady on_ready;
  };
  struct Entry {
    ExpectedPtr expected;          // null while it is being computed
    std::vector<Request> waiting;  // non-empty while it is being computed
    std::shared_ptr<CancelToken> cancel = std::make_shared<CancelToken>();
    bool is_wanted() const;
  };
  void compute(const te::Task& task);
  std::shared_ptr<CancelToken> token_of(const Hash& id);
  Result<ExpectedPtr> load_or_make(const te::Task& task, const CancelToken* cancel);
  void keep(const Hash& id, ExpectedPtr expected);
  std::string file_of(const Hash& id) const;

  const Config config_;
  tuner::Executor& workers_;
  BlobStore& blobs_;
  std::mutex mutex_;
  std::map<Hash, Entry> entries_;
  std::deque<Hash> order_;  // of arrival, for forgetting
  size_t bytes_ = 0;
};

}  // namespace hone::server
