// Writes a model made by Locus, with its tokenizer, labels and start and end tokens, as a folder that
// transformers can open.
#include <algorithm>

#include "locus/base/folder.h"
#include "locus/base/json.h"
#include "locus/base/paths.h"
#include "locus/checkpoint/model_folder.h"
#include "locus/nn/transformer.h"
#include "locus/text/tokenizer_config.h"

namespace locus {
namespace {

namespace fs = std::filesystem;

// The roles that transformers gives to special tokens. The first name that the tokenizer has is used.
struct Role {
  std::string_view role;
  std::vector<std::string_view> names;
};
const Role kRoles[] = {{"bos_token", {"<s>"}},
                       {"eos_token", {"</s>", "<|endoftext|>"}},
                       {"unk_token", {"<unk>", "[UNK]"}},
                       {"mask_token", {"<mask>", "[MASK]"}},
                       {"pad_token", {"<pad>", "[PAD]"}},
                       {"cls_token", {"[CLS]"}},
                       {"sep_token", {"[SEP]"}}};

// The members that follow from the model.
json::Members limits_of(const FolderContents& contents, const Blueprint& b) {
  json::Members members = model_inputs(b.embedding.segments > 1 && contents.pair_segments);
  members.emplace_back("model_max_length", json::number(b.max_length));
  return members;
}

std::string tokenizer_config_of(const FolderContents& contents, const Blueprint& b) {
  const Tokenizer& tokenizer = *contents.tokenizer;
  json::Members members = {{"tokenizer_class", json::text("PreTrainedTokenizerFast")},
                           {"clean_up_tokenization_spaces", "false"}};
  for (const Role& role : kRoles) {
    const auto name = std::ranges::find_if(role.names, [&](std::string_view each) {
      return tokenizer.specials().ids().contains(std::string(each));
    });
    if (name != role.names.end()) members.emplace_back(role.role, json::text(*name));
  }
  const json::Members limits = limits_of(contents, b);
  members.insert(members.end(), limits.begin(), limits.end());
  return json::lines(members);
}

// The start and end tokens of a text that the model writes.
json::Members token_members(const FolderContents& contents) {
  json::Members members;
  if (contents.start_token) {
    members.emplace_back("decoder_start_token_id", json::number(int64_t{*contents.start_token}));
  }
  const std::vector<int32_t>& ends = contents.end_tokens;
  if (!ends.empty()) {
    members.emplace_back("eos_token_id",
                         ends.size() == 1 ? json::number(int64_t{ends[0]}) : json::numbers(ends));
  }
  return members;
}

}  // namespace

json::Members model_inputs(bool segments) {
  std::vector<std::string> inputs = {"input_ids", "attention_mask"};
  if (segments) inputs.insert(inputs.begin() + 1, "token_type_ids");
  return {{"model_input_names", json::texts(inputs)}};
}

void write_tokenizer(const FolderContents& contents, const Blueprint& b, const fs::path& folder) {
  save_for_hub(*contents.tokenizer, contents.frame, folder);
  const fs::path config = folder / kTokenizerConfigFile;
  write_file(config, is_there(config)
                         ? changed_config(tokenizer_config_text(folder), config, limits_of(contents, b))
                         : tokenizer_config_of(contents, b));
}

void write_model(const Model& model, const FolderContents& contents, const fs::path& folder) {
  require(
      model.transformer().has_all_tokens(),
      "save_model: the token embeddings are not fully loaded, expected a model opened without lazy_tokens");
  const ExportedConfig exported = export_config(model.blueprint());
  write_safetensors(folder / "model.safetensors",
                    tensors_of(bindings_of(*exported.family, exported.blueprint, model.parameters())),
                    {{"format", "pt"}});
  const json::Members tokens = token_members(contents);
  json::Members changes = tokens;
  if (!contents.labels.empty()) {
    const json::Members labels = label_members(contents.labels);
    changes.insert(changes.end(), labels.begin(), labels.end());
  }
  write_file(folder / "config.json", changed_config(exported.config, folder / "config.json", changes));
  if (!tokens.empty()) write_file(folder / "generation_config.json", json::lines(tokens));
  if (contents.tokenizer != nullptr) write_tokenizer(contents, model.blueprint(), folder);
}

void save_model(const Model& model, const fs::path& to, const FolderContents& contents) {
  write_folder(to, [&](const fs::path& unfinished) { write_model(model, contents, unfinished); });
}

}  // namespace locus
