#include "browser-agent/native/program.h"

#include <algorithm>
#include <chrono>

#include "base/cat.h"
#include "browser-agent/native/thread_choice.h"

namespace hone::native {
namespace {

using emit::Binding;

constexpr uint32_t kTempWord = 0x7fdeaded;  // a NaN: what is read before it is written shows in the output
constexpr int64_t kWarmNs = 10'000'000;

int64_t now_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

Error misfit(std::string message) { return {ErrorCode::kValidationError, std::move(message)}; }

Status check_buffers(const Call& call) {
  const std::vector<Binding>& arguments = call.kernel->arguments();
  if (call.buffers.size() != arguments.size())
    return misfit(cat("the kernel binds ", arguments.size(), " buffers, ", call.buffers.size(), " are given"));
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i].bytes > call.buffers[i]->bytes())
      return misfit(
          cat("binding ", i, " declares ", arguments[i].bytes, " bytes, its buffer has ", call.buffers[i]->bytes()));
    if (arguments[i].writes && std::count(call.buffers.begin(), call.buffers.end(), call.buffers[i]) > 1)
      return misfit(cat("binding ", i, " is written, and its buffer is bound twice"));
  }
  return ok_status();
}

// The block of that size, made where there is none yet.
Result<BlockPtr> shared_block(std::map<std::pair<int64_t, int>, BlockPtr>& blocks, int64_t bytes, int place,
                              std::vector<BlockPtr>& opened) {
  BlockPtr& block = blocks[{bytes, place}];
  if (block) return block;
  HONE_ASSIGN(made, GuardedBlock::make(bytes));
  block = std::move(made);
  block->open();
  block->fill(kTempWord);
  opened.push_back(block);
  return block;
}

}  // namespace

Result<std::unique_ptr<Program>> Program::bind(std::vector<Call> calls, ThreadTeam& team) {
  auto program = std::unique_ptr<Program>(new Program(team));
  for (const Call& call : calls) HONE_TRY(program->add(call));
  program->calls_ = std::move(calls);
  return program;
}

Result<std::unique_ptr<Program>> Program::bind_like(const Program& other, std::vector<Call> calls, bool same_scratch) {
  auto program = std::unique_ptr<Program>(new Program(other.team_));
  program->scratch_ = other.scratch_;
  if (same_scratch) program->temps_ = other.temps_;
  for (const Call& call : calls) HONE_TRY(program->add(call));
  if (program->launches_.size() != other.launches_.size()) return misfit("a row has other launches than its program");
  for (size_t i = 0; i < other.launches_.size(); ++i) program->launches_[i].threads = other.launches_[i].threads;
  program->calls_ = std::move(calls);
  return program;
}

Program::~Program() {
  for (const BlockPtr& block : opened_) block->close();
}

Status Program::add(const Call& call) {
  HONE_TRY(check_buffers(call));
  const std::vector<Binding>& arguments = call.kernel->arguments();
  for (size_t i = 0; i < arguments.size(); ++i) {
    HONE_TRY(call.buffers[i]->allow_reads(arguments[i].reach_bytes));
    if (!arguments[i].writes) continue;
    call.buffers[i]->open();
    opened_.push_back(call.buffers[i]);
  }
  HONE_TRY(add_temps(*call.kernel));
  for (const emit::NativeKernel::Launch& launch : call.kernel->launches()) HONE_TRY(add_launch(launch, call));
  return ok_status();
}

Status Program::add_temps(const emit::NativeKernel& kernel) {
  std::map<int64_t, int> equals;
  current_temps_.clear();
  for (const emit::Temp& temp : kernel.temps()) {
    HONE_ASSIGN(block, shared_block(temps_, temp.bytes, equals[temp.bytes]++, opened_));
    current_temps_.push_back(block);
  }
  return ok_status();
}

Status Program::add_launch(const emit::NativeKernel::Launch& launch, const Call& call) {
  const std::vector<Binding>& arguments = call.kernel->arguments();
  std::vector<void*> pointers;
  for (const Binding& b : launch.bindings) {
    const auto at = std::find_if(arguments.begin(), arguments.end(),
                                 [&b](const Binding& argument) { return argument.position == b.position; });
    const BlockPtr& block = b.kind == Binding::Kind::kTemp ? current_temps_[static_cast<size_t>(b.position)]
                                                           : call.buffers[static_cast<size_t>(at - arguments.begin())];
    HONE_TRY(block->allow_reads(b.reach_bytes));
    pointers.push_back(block->data());
  }
  Launch ready{launch.entry, launch.extent, {}, launch.extent == 1 ? 1 : team_.threads()};
  for (int thread = 0; thread < team_.threads(); ++thread) {
    auto array = std::make_unique<std::vector<void*>>(pointers);
    HONE_ASSIGN(own, scratch(launch.scratch_bytes, thread));
    array->push_back(own);
    ready.args.push_back(array->data());
    arrays_.push_back(std::move(array));
  }
  launches_.push_back(std::move(ready));
  return ok_status();
}

Result<std::byte*> Program::scratch(int64_t bytes, int thread) {
  if (bytes == 0) return static_cast<std::byte*>(nullptr);
  HONE_ASSIGN(block, shared_block(scratch_, bytes, thread, opened_));
  return block->data();
}

bool Program::is_shared() const {
  return std::any_of(launches_.begin(), launches_.end(), [](const Launch& l) { return l.threads > 1; });
}

void Program::run_once() const {
  for (const Launch& launch : launches_) team_.run(launch);
}

int64_t Program::run_in_turns_ns(const std::vector<std::unique_ptr<Program>>& programs, size_t first, int repeats) {
  const ThreadTeam::Shift shift(programs.front()->team_, programs.front()->is_shared());
  const int64_t started = now_ns();
  for (int i = 0; i < repeats; ++i) programs[(first + static_cast<size_t>(i)) % programs.size()]->run_once();
  return now_ns() - started;
}

int64_t Program::run_ns(int repeats) {
  const ThreadTeam::Shift shift(team_, is_shared());
  const int64_t started = now_ns();
  for (int i = 0; i < repeats; ++i) run_once();
  const int64_t ns = now_ns() - started;
  past_ns_ += ns;
  run_ns_ = ns / repeats;
  return ns;
}

int64_t Program::settle_ns() {
  while (past_ns_ < kWarmNs) run_ns(1);
  // It began on all threads, and stays there: of a naive kernel a further run may take seconds.
  if (launches_.size() == 1 && run_ns_ >= kLongNs) return run_ns_;
  for (Launch& launch : launches_) {
    if (launch.extent == 1) continue;
    const auto time_ns = [&](int threads, int runs) {
      launch.threads = threads;
      const ThreadTeam::Shift shift(team_, threads > 1);
      const int64_t started = now_ns();
      for (int i = 0; i < runs; ++i) team_.run(launch);
      return now_ns() - started;
    };
    launch.threads = choose_threads(time_ns, team_.threads());
  }
  return run_ns(1);
}

std::string Program::inspect() {
  std::string finding;
  const auto look = [&finding](const BlockPtr& block, const std::string& name) {
    if (!block->mend_slack()) finding += cat(finding.empty() ? "" : ", ", "wrote beside ", name);
  };
  for (size_t c = 0; c < calls_.size(); ++c)
    for (size_t i = 0; i < calls_[c].buffers.size(); ++i) look(calls_[c].buffers[i], cat("buffer ", i, " of call ", c));
  for (const auto& [key, block] : temps_) look(block, "a temporary buffer");
  for (const auto& [key, block] : scratch_) look(block, "its scratch memory");
  return finding;
}

}  // namespace hone::native
