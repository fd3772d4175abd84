#include "server/jobs/model_inputs.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace hone::server {
namespace {

using graph::DType;

protocol::JobRequest job(nlohmann::json options) {
  protocol::JobRequest request{.kind = protocol::JobKind::kRun, .source = {.model_name = "m.onnx"}};
  request.options = std::move(options);
  return request;
}

nlohmann::json input(const char* name, const char* dtype, std::vector<int64_t> shape) {
  return {{"name", name}, {"dtype", dtype}, {"shape", shape}};
}

graph::Graph two_inputs() {
  graph::Graph g;
  g.inputs = {g.add_value({"x", DType::kF32, {2}, true}), g.add_value({"n", DType::kI64, {3}, true})};
  return g;
}

TEST(RunRequest, SplitsThePayloadAsTheOptionsSay) {
  // Given a payload of a model and two inputs, when the request is read, then each has its bytes; when a byte is missing, or a shape is
  // none, it is refused.
  const std::string payload = "model" + std::string(8, 'x') + std::string(2, 'b');
  const nlohmann::json good = {{"model_bytes", 5u},
                               {"inputs", {input("x", "f32", {2}), input("b", "u8", {2, 1})}},
                               {"check", true},
                               {"repeats", 7u}};
  const auto request = run_request(job(good), payload);
  ASSERT_TRUE(request.ok()) << request.error().message;
  EXPECT_EQ(request->model, "model");
  ASSERT_EQ(request->inputs.size(), 2u);
  EXPECT_EQ(*request->inputs[1].tensor.bytes, "bb");
  EXPECT_TRUE(request->check);
  EXPECT_EQ(request->repeats, 7u);
  EXPECT_FALSE(run_request(job(good), payload.substr(0, payload.size() - 1)).ok());
  EXPECT_FALSE(run_request(job({{"model_bytes", 99u}}), payload).ok());
  EXPECT_FALSE(run_request(job({{"inputs", {input("x", "f32", {-1})}}}), payload).ok());
  EXPECT_FALSE(run_request(job({{"inputs", {input("x", "f32", {1 << 20, 1 << 20})}}}), payload).ok());
  EXPECT_FALSE(run_request(job({{"inputs", {input("x", "text", {1})}}}), payload).ok());
  EXPECT_EQ(run_request(job(nlohmann::json::object()), payload)->model, payload);
}

TEST(RunRequest, RefusesWhatHasAnotherTypeInOneSentence) {
  // Given options whose values have types that no reader expects, when the request is read, then each is refused with its field; nothing
  // is thrown.
  const auto message = [](nlohmann::json options) {
    const auto request = run_request(job(std::move(options)), "model");
    return request.ok() ? "accepted" : request.error().message;
  };
  const auto with = [](const char* key, nlohmann::json value) {
    nlohmann::json said = input("x", "f32", {1});
    said[key] = std::move(value);
    return nlohmann::json{{"inputs", {said}}};
  };
  for (const nlohmann::json& value : {nlohmann::json(5), nlohmann::json(), nlohmann::json::object()})
    EXPECT_NE(message(with("dtype", value)).find(".inputs[0].dtype: expected a string"), std::string::npos);
  for (const nlohmann::json& value : {nlohmann::json("yes"), nlohmann::json()})
    EXPECT_NE(message(with("constant", value)).find(".inputs[0].constant: expected true or false"), std::string::npos);
  EXPECT_NE(message(with("shape", {{1e300}})).find(".inputs[0].shape"), std::string::npos);
  EXPECT_NE(message({{"inputs", 3}}).find(".inputs: expected a list"), std::string::npos);
  EXPECT_NE(message({{"model_bytes", "all"}}).find(".model_bytes"), std::string::npos);
  EXPECT_NE(message({{"repeats", -1}}).find(".repeats"), std::string::npos);
  EXPECT_NE(message({{"check", 1}}).find(".check"), std::string::npos);
  EXPECT_EQ(message(nlohmann::json::object()), "accepted");
}

TEST(BindInputs, TakesWhatIsGivenAndMakesUpTheRest) {
  // Given a model of two inputs, when one is given in another float type, then it is converted and the other one generated, the same for
  // the same seed; a constant one becomes a part of the model.
  graph::Graph g = two_inputs();
  const auto given = graph::from_doubles(DType::kF64, {2}, {0.5, -2});
  auto tensors = bind_inputs(g, {{"x", given, true}});
  ASSERT_TRUE(tensors.ok()) << tensors.error().message;
  generate_inputs(g, 3, *tensors);
  EXPECT_EQ(tensors->at(g.inputs[0]).dtype, DType::kF32);
  EXPECT_EQ(graph::to_doubles(tensors->at(g.inputs[0])), (std::vector<double>{0.5, -2}));
  EXPECT_TRUE(g.value(g.inputs[0]).constant);
  for (double n : graph::to_doubles(tensors->at(g.inputs[1]))) EXPECT_TRUE(n == 0 || n == 1);
  graph::Graph again = two_inputs();
  package::Tensors same;
  generate_inputs(again, 3, same);
  EXPECT_EQ(*same.at(g.inputs[1]).bytes, *tensors->at(g.inputs[1]).bytes);
}

TEST(BindInputs, RefusesWhatTheModelDoesNotTake) {
  // Given a name that the model lacks, another shape, or whole numbers for floats, when bound, then it is refused with what is expected.
  graph::Graph g = two_inputs();
  const auto message = [&](const std::string& name, const graph::ConstantTensor& tensor) {
    const auto bound = bind_inputs(g, {{name, tensor}});
    return bound.ok() ? "accepted" : bound.error().message;
  };
  EXPECT_NE(message("y", graph::from_doubles(DType::kF32, {2}, {1, 2})).find("x, n"), std::string::npos);
  EXPECT_NE(message("x", graph::from_doubles(DType::kF32, {3}, {1, 2, 3})).find("expects 2"), std::string::npos);
  EXPECT_NE(message("x", graph::from_doubles(DType::kI64, {2}, {1, 2})).find("expects f32"), std::string::npos);
  EXPECT_EQ(message("x", graph::from_doubles(DType::kF32, {2}, {1, 2})), "accepted");
}

}  // namespace
}  // namespace hone::server
