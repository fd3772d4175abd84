// The inputs of an ONNX graph, and the sizes that it leaves open.
#pragma once
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/cat.h"
#include "codegen/graph/graph.h"
#include "codegen/graph/import.h"
#include "codegen/graph/onnx_model.h"

namespace hone::graph {

// The names of the sizes that the inputs leave open, also those of inputs that an initialiser replaces.
std::set<std::string> open_dims(const OnnxGraph& graph);
// Of one input, with the places of the dimensions.
std::vector<std::pair<std::string, size_t>> open_dims_by_place(const OnnxValueInfo& input);
// What a sequence or an optional leaves open: how many tensors it has.
inline std::string length_name(std::string_view input) { return cat(input, ".length"); }

// An input to which options.dims may give its value: then it is a constant, and no input any more.
bool is_one_whole_number(const OnnxValueInfo& input);
// Up to IR version 3 weights are inputs, too: all but those.
std::vector<std::reference_wrapper<const OnnxValueInfo>> inputs_without_initialisers(const OnnxGraph& graph);

// Types and shapes of inputs, with the sizes that a person binds.
class InputReader {
 public:
  InputReader(const OnnxGraph& graph, const ImportOptions& options) : proto_(graph), options_(options), sizes_(options.dims) { learn_sizes(); }
  // The tensors of an input, of known type and shape: one; of a sequence or an optional as many as its length says, called INPUT.0, INPUT.1, …
  // An open size that nobody binds is 1 until check_sizes says so. Fails: bad_model, unsupported, limit_exceeded, invalid_argument.
  Result<std::vector<Value>> read(const OnnxValueInfo& input);
  // After all inputs. Fails: bad_model when a size is bound that the model lacks, or one is left open, with all of them.
  Status check_sizes() const;

 private:
  // A dimension of an input that the model gives no size.
  struct OpenDimension {
    std::string name;  // as --dim has it: the model's, or hone's own "INPUT.PLACE"
    std::string input;
    int place = 0;  // −1: the length of a sequence
    bool has_name = true;
  };
  Result<Value> read_tensor(const OnnxType& type, std::string_view name, std::string_view input);
  const Shape* given_shape(std::string_view name) const;
  // Sizes with a name that given tensors tell, unless several tensors of a sequence tell different ones.
  void learn_sizes();
  int64_t length_of(std::string_view input) const;
  Status use_given(Value& value) const;
  Result<int64_t> extent_of(const OnnxDimension& dim, std::string_view input, int place);
  Result<int64_t> bound(OpenDimension dimension);
  Status check_dims_known() const;
  Status check_bound() const;

  const OnnxGraph& proto_;
  const ImportOptions& options_;
  std::map<std::string, int64_t, std::less<>> sizes_;  // by name: options.dims, and what given tensors tell
  std::unordered_set<std::string> unbound_names_;  // of all inputs
  std::vector<OpenDimension> unbound_;             // one for each name, as far as they are told
};

}  // namespace hone::graph
