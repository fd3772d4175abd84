// <utility> before Asio: Boost 1.74 uses std::exchange without naming its header.
#include <utility>

#include "browser-agent/launch/run_program.h"

#include <signal.h>
#include <unistd.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>

#include "base/cat.h"
#include "base/printable_text.h"
#include "browser-agent/launch/child_process.h"

namespace hone::launch {

namespace {

std::string last_line(std::string text) {
  while (text.ends_with('\n')) text.pop_back();
  return shortened(text.substr(text.rfind('\n') + 1));
}

// A private file, gone with the object.
class OutputFile {
 public:
  static Result<std::unique_ptr<OutputFile>> make() {
    std::error_code error;
    std::string path = (std::filesystem::temp_directory_path(error) / "hone_output_XXXXXX").string();  // mkstemp's pattern
    const int descriptor = error ? -1 : ::mkstemp(path.data());
    if (descriptor < 0) return Error{ErrorCode::kIoError, cat(path, " cannot be made: ", error ? error.message() : std::strerror(errno), "; make room there, or set TMPDIR")};
    ::close(descriptor);
    return std::unique_ptr<OutputFile>(new OutputFile(std::move(path)));
  }
  ~OutputFile() { ::unlink(path_.c_str()); }
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  const std::string& path() const { return path_; }
  std::string text() const {
    std::ifstream in(path_, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }

 private:
  explicit OutputFile(std::string path) : path_(std::move(path)) {}
  const std::string path_;
};

}  // namespace

Result<std::string> run_program(const std::string& program, const std::vector<std::string>& arguments, const std::vector<std::string>& environment) {
  HONE_ASSIGN(output, OutputFile::make());
  boost::asio::io_context io;
  boost::asio::signal_set interrupts(io, SIGINT, SIGTERM);
  bool interrupted = false;
  interrupts.async_wait([&](const boost::system::error_code& error, int) {
    if (error) return;
    interrupted = true;
    io.stop();
  });
  std::string how;
  HONE_ASSIGN(child, ChildProcess::start(io, {.program = std::filesystem::absolute(program).string(), .arguments = arguments, .output = output->path(), .environment = environment},
                                         [&](const std::string& said) {
                                           how = said;
                                           interrupts.cancel();
                                         }));
  io.run();
  if (interrupted) return Error{ErrorCode::kCancelled, cat(program, " was interrupted")};
  std::string said = output->text();
  if (how == "exit code 0") return said;
  return Error{ErrorCode::kIoError, cat(program, arguments.empty() ? "" : " ", arguments.empty() ? "" : arguments.front(), " ended with ", how, ": ", last_line(said))};
}

}  // namespace hone::launch
