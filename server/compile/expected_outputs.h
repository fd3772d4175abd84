// ExpectedOutputs: what each task's kernels must compute, as blobs in f32 (i32 and u32: their own bits), logical row-major, one
// per output. Computed once per task on
// the workers, then kept in memory and in a folder under the task's id, so that a second run waits for nothing.
#pragma once
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/hash.h"
#include "base/result.h"
#include "codegen/te/task.h"
#include "server/compile/blob_store.h"
#include "tuner/search/executor.h"

namespace hone::server {

class ExpectedOutputs {
 public:
  using Outputs = std::vector<std::vector<float>>;
  using IsCancelled = std::function<bool()>;  // any thread
  using Reference = std::function<Result<Outputs>(const te::Task&, const IsCancelled&)>;
  using IsWanted = std::function<bool()>;  // any thread; false for good: who asked needs it no more
  using OnReady = std::function<void(Result<std::vector<BlobPtr>>)>;
  struct Config {
    std::string folder;   // "" = memory only; made when it is not there
    Reference reference;  // called on a worker
  };
  ExpectedOutputs(Config config, tuner::Executor& workers, BlobStore& blobs);

  // Any thread. `on_ready` is called once, at once or on a worker. The task outlives the call to on_ready. Several requests for one
  // task compute it once; when none of them wants it any more, the work ends and all are answered with kCancelled.
  void request(const te::Task& task, IsWanted is_wanted, OnReady on_ready);

 private:
  struct Request {
    IsWanted is_wanted;
    OnReady on_ready;
  };
  struct Entry {
    std::vector<BlobPtr> blobs;
    std::vector<Request> waiting;  // non-empty while it is being computed
  };
  void compute(const te::Task& task);
  bool is_wanted(const Hash& id);
  Result<std::vector<BlobPtr>> load_or_make(const te::Task& task);
  void keep(const Hash& id, std::vector<BlobPtr> blobs);
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
