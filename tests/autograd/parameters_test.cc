#include "locus/autograd/parameters.h"

#include <gtest/gtest.h>

#include "locus/op/elementwise.h"
#include "tests/expect_error.h"

namespace locus {
namespace {

std::vector<std::string> names_of(const Parameters& parameters) {
  std::vector<std::string> names;
  for (const NamedParameter& parameter : parameters.all()) names.push_back(parameter.name);
  return names;
}

// encoder.layer.{0,1,10}.{weight,bias} and head
Parameters example() {
  Parameters parameters;
  const Scope layers = Scope(parameters) / "encoder" / "layer";
  for (const char* layer : {"0", "1", "10"}) {
    const Scope scope = layers / layer;
    scope.add("weight", Tensor::zeros({2, 3}), Role::matrix);
    scope.add("bias", Tensor::zeros({2}), Role::bias);
  }
  Scope(parameters).add("head", Tensor::zeros({5}), Role::bias);
  return parameters;
}

TEST(Parameters, AreNamedByTheirPlaceInTheOrderAdded) {
  const Parameters parameters = example();
  EXPECT_EQ(names_of(parameters),
            (std::vector<std::string>{"encoder.layer.0.weight", "encoder.layer.0.bias",
                                      "encoder.layer.1.weight", "encoder.layer.1.bias",
                                      "encoder.layer.10.weight", "encoder.layer.10.bias", "head"}));
  EXPECT_EQ(parameters.numel(), 3 * (6 + 2) + 5);
  EXPECT_EQ((Scope(const_cast<Parameters&>(parameters)) / "a" / "b").path(), "a.b");
}

TEST(Parameters, AreFoundByName) {
  Parameters parameters;
  const Var added = parameters.add("head", Tensor::full({1}, 4), Role::gain);
  EXPECT_TRUE(parameters.has("head"));
  EXPECT_FALSE(parameters.has("heap"));
  EXPECT_TRUE(added.wants_grad());
  op::sum(added).backward();
  EXPECT_EQ(parameters.at("head").grad().item(), 1) << "the same Var";
}

TEST(Parameters, ABranchFreezesAndThaws) {
  Parameters parameters = example();
  for (const NamedParameter& parameter : parameters.all()) op::sum(parameter.var).backward();
  EXPECT_EQ(parameters.freeze("encoder.layer.1"), 2) << "encoder.layer.10 is another branch";
  const auto wants = [&](const char* name) { return parameters.at(name).wants_grad(); };
  EXPECT_FALSE(wants("encoder.layer.1.weight"));
  EXPECT_FALSE(parameters.at("encoder.layer.1.weight").grad()) << "a frozen one is not updated";
  EXPECT_TRUE(wants("encoder.layer.10.weight"));
  EXPECT_TRUE(parameters.at("encoder.layer.10.weight").grad());
  EXPECT_EQ(parameters.freeze("head"), 1) << "a name is a branch of one";
  EXPECT_EQ(parameters.unfreeze(""), 7) << "the root is all of them";
  EXPECT_TRUE(wants("encoder.layer.1.weight") && wants("head"));
}

TEST(Parameters, ClearTheirGradients) {
  Parameters parameters = example();
  for (const NamedParameter& parameter : parameters.all()) op::sum(parameter.var).backward();
  parameters.clear_grads();
  for (const NamedParameter& parameter : parameters.all()) EXPECT_FALSE(parameter.var.grad());
}

TEST(Parameters, EveryErrorSaysWhatWasWrong) {
  Parameters parameters = example();
  const auto data = [](std::initializer_list<const char*> values, auto call) {
    expect_error(Fault::data, values, call);
  };
  data({"parameter name"}, [&] { parameters.add("", Tensor::zeros({1}), Role::gain); });
  data({"'tail'"}, [&] { parameters.add("tail", {}, Role::gain); });
  data({"'head'"}, [&] { parameters.add("head", Tensor::zeros({1}), Role::gain); });
  EXPECT_EQ(parameters.all().size(), 7u) << "a failed add() adds nothing";
  data({"'encoder.layer.1.wieght'", "'encoder.layer.1.weight'"},
       [&] { (void)parameters.at("encoder.layer.1.wieght"); });
  data({"'unheard of'"}, [&] { (void)parameters.at("unheard of"); });
  data({"'encoder.layer.2'"}, [&] { parameters.freeze("encoder.layer.2"); });
  data({"'encoder.lay'"}, [&] { parameters.freeze("encoder.lay"); });
}

TEST(Parameters, HaveOneDType) {
  Parameters wide(DType::f64, Device::reference);
  const Tensor value = Tensor::of({2, 2}, {1.f, 2.f, 3.f, 0.1f});
  for (const Tensor& converted : {wide.add("weight", value, Role::matrix).value(), wide.constant(value)}) {
    EXPECT_EQ(converted.dtype(), DType::f64);
    EXPECT_EQ(converted.device(), Device::reference);
    EXPECT_EQ(converted.data<double>()[3], static_cast<double>(0.1f));
  }
  const Parameters f32;
  EXPECT_TRUE(f32.constant(value).shares_memory_with(value));
}

TEST(Parameters, DoubleIsForTheReference) {
  expect_error(Fault::data, Code::bad_shape, {"f64 on the cpu", "f64 on the reference"},
               [] { Parameters{DType::f64}; });
}

}  // namespace
}  // namespace locus
