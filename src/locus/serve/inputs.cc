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

// Of a list of token ids, or of a list of 1 to `most` such lists.
std::string ids_schema(size_t most) {
  const std::string ids = schema::list(schema::integer(), 1);
  return schema::any_of({ids, schema::list(schema::list(schema::integer()), 1, most)});
}

std::string inputs_schema(const ServiceOptions& options) {
  const std::string texts = schema::list(schema::text(), 1, options.max_inputs);
  if (!options.token_ids) return schema::any_of({schema::text(), texts});
  return schema::any_of({schema::text(), texts, ids_schema(options.max_inputs)});
}

// The ids of one text, or of each text.
std::vector<std::vector<int32_t>> id_lists(const Fields& fields, std::string_view name, json::List list,
                                           size_t most, std::string_view expected) {
  if ((*list.begin()).integer()) {
    auto ids = ids_of(list);
    if (!ids) fields.refuse(name, expected);
    return {std::move(*ids)};
  }
  fields.check_count(name, list.size(), most);
  std::vector<std::vector<int32_t>> lists;
  for (const json::Value item : list) {
    const auto numbers = item.list();
    auto ids = numbers ? ids_of(*numbers) : std::nullopt;
    if (!ids) fields.refuse(name, expected);
    lists.push_back(std::move(*ids));
  }
  return lists;
}

std::vector<std::string> text_list(const Fields& fields, std::string_view name, json::List list,
                                   size_t most) {
  fields.check_count(name, list.size(), most);
  std::vector<std::string> texts;
  for (const json::Value item : list) {
    if (!item.text()) fields.refuse(name, kExpected);
    texts.emplace_back(*item.text());
  }
  return texts;
}

}  // namespace

std::vector<std::vector<int32_t>> read_ids(const Call& call, Fields& fields, std::string_view name) {
  constexpr std::string_view kIds = "a list of token ids, or a list of such lists";
  const size_t most = call.options.max_inputs;
  const auto value = fields.member(name, fields.describes() ? ids_schema(most) : "");
  if (!value) return {};
  const auto list = value->list();
  if (!list) fields.refuse(name, kIds);
  fields.check_count(name, list->begin() == list->end() ? 0 : 1, most);
  return id_lists(fields, name, *list, most, kIds);
}

Inputs read_inputs(const Call& call, Fields& fields, std::string_view name) {
  const size_t most = call.options.max_inputs;
  const auto value = fields.member(name, fields.describes() ? inputs_schema(call.options) : "");
  if (!value) return {};
  if (const auto text = value->text()) return {.texts = {std::string(*text)}, .ids = {}};
  const auto list = value->list();
  if (!list) fields.refuse(name, kExpected);
  fields.check_count(name, list->begin() == list->end() ? 0 : 1, most);
  if ((*list->begin()).is_text()) return {.texts = text_list(fields, name, *list, most), .ids = {}};
  auto ids = id_lists(fields, name, *list, most, kExpected);
  if (!call.options.token_ids) {
    throw Refused(kInvalid,
                  fmt::format("'{}' has token ids, expected texts: this server refuses token ids", name),
                  std::string(name));
  }
  return {.texts = {}, .ids = std::move(ids)};
}

}  // namespace locus::serve
