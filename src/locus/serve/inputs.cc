#include "locus/serve/inputs.h"

#include "locus/serve/refused.h"

namespace locus::serve {
namespace {

constexpr const char* kExpected = "a string, a list of strings, a list of token ids, or a list of such lists";

// Nothing if one of the items is not a token id.
std::optional<std::vector<int32_t>> ids_of(json::List list) {
  std::vector<int32_t> ids;
  for (const json::Value item : list) {
    const auto id = item.integer();
    if (!id) return {};
    // The model refuses -1 in the same way as all other ids that it does not have.
    ids.push_back(*id < 0 || *id > std::numeric_limits<int32_t>::max() ? -1 : static_cast<int32_t>(*id));
  }
  return ids;
}

}  // namespace

Inputs read_inputs(const Call& call, Fields& fields, std::string_view name) {
  const json::Value value = fields.member(name);
  if (const auto text = value.text()) return {.texts = {std::string(*text)}, .ids = {}, .single = true};
  const auto list = value.list();
  if (!list) fields.refuse(name, kExpected);
  check_count(call, name, list->begin() == list->end() ? 0 : 1);
  Inputs inputs;
  if ((*list->begin()).integer()) {
    auto ids = ids_of(*list);
    if (!ids) fields.refuse(name, kExpected);
    inputs = {.texts = {}, .ids = {std::move(*ids)}, .single = true};
  } else {
    check_count(call, name, list->size());
    const bool are_texts = (*list->begin()).is_text();
    for (const json::Value item : *list) {
      const auto text = item.text();
      const auto numbers = item.list();
      auto ids = numbers ? ids_of(*numbers) : std::nullopt;
      if (are_texts ? !text : !ids) fields.refuse(name, kExpected);
      if (are_texts) {
        inputs.texts.emplace_back(*text);
      } else {
        inputs.ids.push_back(std::move(*ids));
      }
    }
  }
  if (!inputs.ids.empty() && !call.options.token_ids) {
    throw Refused(kInvalid,
                  fmt::format("'{}' has token ids, expected texts: this server refuses token ids", name),
                  std::string(name));
  }
  return inputs;
}

}  // namespace locus::serve
