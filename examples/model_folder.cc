// Opens a Hugging Face model folder and predicts the next tokens.
//
//   model_folder FOLDER
#include <fmt/core.h>
#include <fmt/ranges.h>

#include "locus/locus.h"

using namespace locus;

int main(int count, char** words) {
  if (count < 2) {
    fmt::print(stderr, "model_folder: missing argument FOLDER\n");
    return 2;
  }
  try {
    const ModelFolder folder = open_model(words[1]);
    const Blueprint& blueprint = folder.model.blueprint();
    fmt::print("{} layers of width {}, scheme {}\n", blueprint.layers, blueprint.width, blueprint.scheme);

    const Tokens tokens = tokens_of({{3, 5, 7}, {2, 4}}, blueprint);  // two sequences, packed
    const Var logits = folder.model(tokens);
    fmt::print("logits {}\n", logits.shape().text());

    const auto written = generate(folder.model, {{3, 5, 7}}, {.max_tokens = 4});
    fmt::print("{} new tokens\n", written[0].size());
    return 0;
  } catch (const Error& error) {
    fmt::print(stderr, "model_folder: {}\n", error.what());
    return static_cast<int>(error.fault());
  }
}
