// The input of a model, step by step: a text becomes windows of token ids, ids become rows of the token
// table, and a position row is added to each of them.
//
//   input_embeddings [TEXT-FILE TOKENIZER-FOLDER]
//
// Without arguments it reads The Verdict and the vocabulary of GPT-2 from the folder LOCUS_DATA. If that
// variable is not set, it uses a built-in sentence and its bytes.
#include <fmt/core.h>

#include <cstdlib>
#include <filesystem>

#include "locus/locus.h"

using namespace locus;

namespace {

constexpr const char* kSentence =
    "The dog chased the ball, but it could not catch it even after running the whole field round and round.";

std::shared_ptr<const TokenStream> tokens(int count, char** words) {
  const char* data = std::getenv("LOCUS_DATA");
  if (count < 3 && data == nullptr) {
    const ByteVocabulary bytes;
    return std::make_shared<MemoryTokens>(bytes.encode(kSentence), bytes.size(), "the sentence");
  }
  const std::filesystem::path folder = data == nullptr ? "" : data;
  const std::filesystem::path file = count < 3 ? folder / "the-verdict.txt" : words[1];
  const auto tokenizer = load_tokenizer(count < 3 ? folder / "gpt2" : words[2]);
  return open_tokens(file, *tokenizer);
}

int run(int count, char** words) {
  constexpr int64_t kContext = 4, kWidth = 256;
  const Windows windows(tokens(count, words), {.context = kContext, .stride = kContext, .batch = 8});
  const WindowBatch batch = windows.batch(0, 0);
  const Tensor ids = Tensor::of({batch.rows, kContext}, batch.inputs);
  fmt::print("Token IDs:\n");
  for (int64_t row = 0; row < batch.rows; ++row) {
    for (int64_t t = 0; t < kContext; ++t) fmt::print("{:6}", batch.inputs[row * kContext + t]);
    fmt::print("\n");
  }
  fmt::print("\nInputs shape:     {}\n", ids.shape().text());

  const auto table = [](int64_t rows, uint64_t stream) {
    std::vector<float> values(static_cast<size_t>(rows * kWidth));
    const Random random(123, stream);
    for (size_t i = 0; i < values.size(); ++i) values[i] = random.uniform(i) - 0.5f;
    return Var(Tensor::of({rows, kWidth}, values));
  };
  const Var token_table = table(windows.stream().vocabulary(), 0), position_table = table(kContext, 1);
  const Var token_rows = op::gather(token_table, ids);
  const Var position_rows = op::gather(position_table, Tensor::of({kContext}, {0, 1, 2, 3}));
  fmt::print("token embeddings: {}\n", token_rows.shape().text());
  fmt::print("positions:        {}\n", position_rows.shape().text());

  // Every sequence of the batch gets the same position rows.
  const Var sequences = op::reshape(token_rows, {batch.rows, kContext * kWidth});
  const Var input = op::reshape(op::add_bias(sequences, op::reshape(position_rows, {kContext * kWidth})),
                                token_rows.shape());
  fmt::print("input embeddings: {}\n", input.shape().text());
  return 0;
}

}  // namespace

int main(int count, char** words) {
  try {
    return run(count, words);
  } catch (const Error& error) {
    fmt::print(stderr, "input_embeddings: {}\n", error.what());
    return static_cast<int>(error.fault());
  }
}
