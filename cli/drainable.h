// Drainable: what serves until a signal ends it. On the event loop's thread.
#pragma once

namespace hone::cli {

class Drainable {
 public:
  virtual ~Drainable() = default;
  // No new work begins, and GET /readyz says 503; what runs goes on.
  virtual void drain() = 0;
  // Ends what runs; idle() becomes true while the loop runs on.
  virtual void stop() = 0;
  virtual bool idle() const = 0;
};

}  // namespace hone::cli
