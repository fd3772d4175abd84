// LeasedStore: the record store as one job sees it. A measurement is stored only under a lease that is valid now, and
// still is when it is committed; the agent's copy is acknowledged only after the commit. Reads and records without a fence (the server's own statements) pass through.
#pragma once
#include <functional>
#include <map>
#include <memory>
#include <mutex>

#include "tuner/records/store.h"

namespace hone::server {

// The leases under which results may be stored: held and dropped on the network thread, read where records are made. The store, where there is
// one, is told of each, so that it compares them again when it commits.
class Fences {
 public:
  explicit Fences(tuner::RecordStore* store = nullptr) : store_(store) {}
  void hold(const tuner::DeviceFence& lease) {
    if (store_) store_->hold_lease(lease);
    std::lock_guard lock(mutex_);
    held_[lease.lease_id] = lease.fence;
  }
  void drop(const std::string& lease_id) {
    if (store_) store_->end_lease(lease_id);
    std::lock_guard lock(mutex_);
    held_.erase(lease_id);
  }
  bool holds(const std::string& lease_id, int64_t fence) const {
    std::lock_guard lock(mutex_);
    const auto found = held_.find(lease_id);
    return found != held_.end() && found->second == fence;
  }

 private:
  tuner::RecordStore* const store_;
  mutable std::mutex mutex_;
  std::map<std::string, int64_t> held_;  // fences by lease
};

class LeasedStore : public tuner::RecordStore {
 public:
  // Called on any thread once a record is committed, or refused for good.
  using OnSettled = std::function<void(const Hash& task, const Hash& source, int attempt)>;
  LeasedStore(tuner::RecordStore& store, std::shared_ptr<const Fences> fences, OnSettled on_settled)
      : store_(store), fences_(std::move(fences)), on_settled_(std::move(on_settled)) {}

  void insert(tuner::Record record, Ack ack) override;

  void hold_lease(tuner::DeviceFence lease) override { store_.hold_lease(std::move(lease)); }
  void end_lease(std::string lease_id) override { store_.end_lease(std::move(lease_id)); }
  Status put_task(const tuner::TaskInfo& task) override { return store_.put_task(task); }
  Status put_device(const tuner::DeviceInfo& device) override { return store_.put_device(device); }
  Status put_job(const tuner::JobInfo& job) override { return store_.put_job(job); }
  void put_label(tuner::DeviceLabel label) override { store_.put_label(std::move(label)); }
  Status flush() override { return store_.flush(); }
  CommitReading commits() const override { return store_.commits(); }
  void try_write() override { store_.try_write(); }
  Result<std::vector<tuner::KnownTrial>> known_trials(const Hash& task, const std::string& key) override {
    return store_.known_trials(task, key);
  }
  Result<std::optional<tuner::KnownTrial>> known_trial(const Hash& task, const std::string& key,
                                                       const Hash& source) override {
    return store_.known_trial(task, key, source);
  }
  Result<std::optional<tuner::KnownTrial>> best_for(const Hash& task, const std::string& key) override {
    return store_.best_for(task, key);
  }
  Result<std::optional<tuner::KnownTrial>> naive_for(const Hash& task, const std::string& key) override {
    return store_.naive_for(task, key);
  }
  Result<std::vector<tuner::Neighbour>> neighbours(const std::string& target, int feature_version, const Hash& task,
                                                   const std::string& key, int pairs_max) override {
    return store_.neighbours(target, feature_version, task, key, pairs_max);
  }
  Result<std::vector<tuner::TaskInfo>> tasks() override { return store_.tasks(); }
  Result<std::vector<tuner::DeviceInfo>> devices() override { return store_.devices(); }
  Result<std::vector<tuner::JobInfo>> jobs() override { return store_.jobs(); }
  Result<std::vector<tuner::DeviceLabel>> labels() override { return store_.labels(); }
  Result<std::vector<tuner::Reference>> references(const std::string& key) override { return store_.references(key); }
  Result<std::vector<std::string>> agents() override { return store_.agents(); }
  Result<std::vector<std::string>> measured_devices(const std::string& key) override { return store_.measured_devices(key); }
  Result<std::vector<tuner::CrossCheck>> cross_checks(const std::string& key) override { return store_.cross_checks(key); }
  Result<int64_t> doubt(const tuner::Doubt& doubt) override { return store_.doubt(doubt); }
  int64_t added() const override { return store_.added(); }
  tuner::Damage damage() const override { return store_.damage(); }
  // A job adds records and removes none.
  Status forget(const Hash&, const std::string&, const std::vector<Hash>&) override {
    return Error{ErrorCode::kUnsupported, "a job does not remove records"};
  }
  Result<tuner::ForgetReport> forget(const tuner::ForgetRequest&) override {
    return Error{ErrorCode::kUnsupported, "a job does not remove records"};
  }
  Status compact() override { return ok_status(); }
  Status rename_device(const std::string&, const std::string&) override {
    return Error{ErrorCode::kUnsupported, "a job does not rename classes of devices"};
  }
  Status list(const tuner::RecordFilter& filter, const std::function<Status(const tuner::Record&)>& visit) override {
    return store_.list(filter, visit);
  }

 private:
  tuner::RecordStore& store_;
  const std::shared_ptr<const Fences> fences_;
  const OnSettled on_settled_;
};

}  // namespace hone::server
