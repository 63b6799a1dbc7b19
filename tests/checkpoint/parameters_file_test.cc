#include "locus/checkpoint/parameters_file.h"

#include <gtest/gtest.h>

#include "tests/expect_error.h"
#include "tests/temporary_folder.h"

namespace locus {
namespace {

TEST(ParametersFile, ReadsWhatItWroteAndNothingElse) {
  const TemporaryFolder folder(in_memory());
  Parameters saved, read;
  for (Parameters* parameters : {&saved, &read})
    parameters->add("a.weight", Tensor::zeros({2, 3}), Role::matrix);
  saved.at("a.weight").value().data<float>()[4] = 5;
  const std::filesystem::path path = folder / "x.safetensors";
  write_safetensors(path, named_tensors(saved));
  read_parameters(SafetensorsFile(path), read);
  EXPECT_EQ(read.at("a.weight").value().values(), saved.at("a.weight").value().values());
  saved.add("b", Tensor::zeros({1}), Role::bias);
  write_safetensors(path, named_tensors(saved));
  expect_error(Fault::data, {"x.safetensors", "2", "1"},
               [&] { read_parameters(SafetensorsFile(path), read); });
}

TEST(ParametersFile, JoinedRowsAreNarrowerThanTheModel) {
  for (const std::string part : {"", "learned."}) {
    Blueprint b;
    b.scheme = part.empty() ? "learned" : "learned+t5";
    b.layers = 1;
    b.max_length = 100000;
    const double found = 300000;  // the layer has 196,608
    expect_error(Fault::data, {"'x'", "300000"}, [&] { require_numbers(b, found, "x"); });
    b.scheme_options = {{part + "combine", "joined"}, {part + "width", "1"}};
    EXPECT_NO_THROW(require_numbers(b, found, "x"));
  }
}

}  // namespace
}  // namespace locus
