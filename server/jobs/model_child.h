// The child's side of run_in_child: a process that reads one client's model, or computes a reference, answers and ends.
#pragma once
#include <string_view>

namespace hone::server {

// The program's first argument, for such a child; the second one is the number of the process that started it.
inline constexpr std::string_view kModelChildVerb = "model-child";

// What the child is given, by descriptor: a request (model_messages.h), the payload, and memory for the answer.
inline constexpr int kRequestDescriptor = 3, kPayloadDescriptor = 4, kAnswerDescriptor = 5;

// Enters the request's limits, does its work and writes the answer. Before it answers with a graph it does with it what the service will do (fusing, laying out, making tasks), so that what
// these cannot take ends the child. Does not return: the process ends, with 0 where there is an answer.
[[noreturn]] void run_model_child(std::string_view parent);

}  // namespace hone::server
