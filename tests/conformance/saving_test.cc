// A scheme is defined by its name, its options as text and its parameters: written to a file and read back,
// it gives the same bits.
#include "locus/checkpoint/safetensors.h"
#include "tests/conformance/block.h"
#include "tests/temporary_folder.h"

namespace locus::testing {
namespace {

class Saving : public Conformance {};

TEST_P(Saving, ReadsBackToTheSameBits) {
  const NoGrad scope;
  const TemporaryFolder folder;
  const Variant& variant = GetParam();
  const BlockShape shape{.heads = 3, .causal = true};
  const Placement placement = Placement::rectangle(2, 40);
  const Block block(variant, shape, Device::cpu, 1);
  const Tensor x = block.rows(placement.queries(), 11);
  const Tensor want = block.run(Var(x), placement).value();

  std::vector<NamedTensor> tensors;
  for (const NamedParameter& parameter : block.parameters.all()) {
    tensors.emplace_back(parameter.name, parameter.var.value());
  }
  std::map<std::string, std::string> metadata = {{"scheme", std::string(variant.info->name)}};
  const Options options(variant.info->name, variant.info->options.list(), variant.options);
  for (const auto& [name, value] : options.values()) {
    metadata["option." + name] = value;
  }
  write_safetensors(folder / "saved.safetensors", tensors, metadata);

  const SafetensorsFile file(folder / "saved.safetensors");
  Variant read{variant.name, &scheme_info(file.metadata().at("scheme")), {}};
  for (const auto& [name, value] : file.metadata()) {
    if (name.starts_with("option.")) read.options[name.substr(7)] = value;
  }
  Block again(read, shape, Device::cpu, 2);
  if (!block.parameters.all().empty()) {
    EXPECT_NE(again.run(Var(x), placement).value().values(), want.values()) << "the seed changes nothing";
  }
  ASSERT_EQ(file.entries().size(), again.parameters.all().size());
  for (const NamedParameter& parameter : again.parameters.all()) {
    file.read_into(parameter.name, parameter.var.value());
  }
  EXPECT_EQ(again.run(Var(x), placement).value().values(), want.values());
}

INSTANTIATE_TEST_SUITE_P(Schemes, Saving, every_variant(), variant_name);

}  // namespace
}  // namespace locus::testing
