// The texts of a request, which may also be token ids.
#pragma once

#include <string>
#include <vector>

#include "locus/serve/call.h"

namespace locus::serve {

struct Inputs {
  std::vector<std::string> texts;         // either these
  std::vector<std::vector<int32_t>> ids;  // or these

  size_t size() const { return texts.empty() ? ids.size() : texts.size(); }
};

// A member that is a list of token ids, or a list of such lists.
std::vector<std::vector<int32_t>> read_ids(const Call& call, Fields& fields, std::string_view name);

// A member that is a string, a list of strings, a list of token ids, or a list of such lists. Checks their
// number, but not yet the ids.
Inputs read_inputs(const Call& call, Fields& fields, std::string_view name);

// Calls compute(). A token id that the model does not have is an error with a hint: clients that tokenize by
// themselves may do so with the vocabulary of another model.
template <class F>
auto with_token_hint(const F& compute) {
  try {
    return compute();
  } catch (const Error& error) {
    if (error.code() != Code::bad_token) throw;
    throw error.with_hint(
        "send texts instead of token ids; in LangChain set check_embedding_ctx_length=False");
  }
}

}  // namespace locus::serve
