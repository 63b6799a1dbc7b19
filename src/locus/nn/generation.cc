#include "locus/nn/generation.h"

#include <algorithm>

#include "locus/nn/decoder.h"

namespace locus {
namespace {

void check_tokens(const std::vector<int32_t>& tokens, int64_t vocabulary) {
  for (const int32_t token : tokens) {
    require(token >= 0 && token < vocabulary, Code::bad_token, "generate: token is {}, expected 0 to {}",
            token, vocabulary - 1);
  }
}

// The most new tokens after a prompt. The last one is never an input, so it needs no position.
int64_t most_new_tokens(const Blueprint& b, int64_t prompt, int64_t wanted) {
  if (scheme_info(b.scheme).extrapolates) return wanted;
  require(prompt <= b.max_length, Code::bad_position,
          "generate: the prompt has {} tokens, expected at most {}, the positions of scheme {}", prompt,
          b.max_length, b.scheme);
  return std::min(wanted, b.max_length - prompt + 1);
}

}  // namespace

Generation::Generation(const Model& model) : model_(model), decoder_(std::make_unique<Decoder>(model)) {}
Generation::Generation(Generation&&) noexcept = default;
Generation::~Generation() = default;

int64_t Generation::add(const std::vector<int32_t>& prompt, const GenerateOptions& options,
                        const std::vector<int32_t>& text) {
  const Blueprint& b = model_.blueprint();
  require(!prompt.empty(), "generate: the prompt is empty, expected at least one token");
  require(options.max_tokens > 0, "generate: max_tokens is {}, expected 1 or more", options.max_tokens);
  check_tokens(prompt, b.vocabulary);
  check_tokens(text, b.vocabulary);
  check_rules(options.rules, b.vocabulary);
  check_sampling(options.sampling);
  Sequence sequence = {.id = next_id_, .options = options, .tokens = prompt};
  sequence.options.max_tokens = most_new_tokens(b, std::ssize(prompt), options.max_tokens);
  sequences_.reserve(sequences_.size() + 1);
  decoder_->add(text);
  sequences_.push_back(std::move(sequence));
  return next_id_++;
}

GeneratedToken Generation::next_token(const Sequence& sequence, std::vector<float> logits) const {
  const GenerateOptions& o = sequence.options;
  apply_rules(o.rules, sequence.tokens, sequence.written, o.max_tokens, std::span(logits));
  const int32_t token = sample(logits, sequence.tokens, o.sampling, Random(o.seed, 0));
  const bool ends = std::ranges::count(o.end_tokens, token) > 0;
  return {sequence.id, token,
          ends                                   ? Finish::end_token
          : sequence.written + 1 == o.max_tokens ? Finish::length
                                                 : Finish::none};
}

std::vector<GeneratedToken> Generation::step() {
  if (sequences_.empty()) return {};
  std::vector<std::vector<int32_t>> fresh;
  for (Sequence& sequence : sequences_) {
    sequence.tokens.reserve(sequence.tokens.size() + 1);
    fresh.emplace_back(sequence.tokens.begin() + static_cast<int64_t>(sequence.read), sequence.tokens.end());
  }
  const Tensor logits = decoder_->step(fresh);
  std::vector<GeneratedToken> tokens;
  try {
    for (int64_t row = 0; row < count(); ++row) {
      tokens.push_back(next_token(sequences_[static_cast<size_t>(row)], logits.rows(row, row + 1).values()));
    }
  } catch (const Error& error) {
    decoder_->undo();
    throw SequenceError(error, sequences_[tokens.size()].id);
  } catch (...) {
    decoder_->undo();
    throw;
  }
  for (size_t row = 0; row < tokens.size(); ++row) {
    Sequence& sequence = sequences_[row];
    sequence.read = sequence.tokens.size();
    sequence.tokens.push_back(tokens[row].token);
    ++sequence.written;
  }
  keep([&](size_t row) { return tokens[row].finish == Finish::none; });
  return tokens;
}

// Keeps the sequences for which stays(row) is true.
template <class Stays>
void Generation::keep(Stays stays) {
  std::vector<int64_t> rows;
  std::vector<Sequence> kept;
  for (size_t row = 0; row < sequences_.size(); ++row) {
    if (stays(row)) rows.push_back(static_cast<int64_t>(row));
  }
  if (rows.size() == sequences_.size()) return;
  kept.reserve(rows.size());
  decoder_->select(rows);
  for (const int64_t row : rows) kept.push_back(std::move(sequences_[static_cast<size_t>(row)]));
  sequences_ = std::move(kept);
}

bool Generation::remove(int64_t id) {
  const bool found = std::ranges::count(sequences_, id, &Sequence::id) > 0;
  keep([&](size_t row) { return sequences_[row].id != id; });
  return found;
}

}  // namespace locus
