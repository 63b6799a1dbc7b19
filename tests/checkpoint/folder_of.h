// A copy of a golden family folder that a test may break.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "locus/checkpoint/model_folder.h"
#include "tests/checkpoint/safetensors_bytes.h"

namespace locus {

class FolderOf {
 public:
  explicit FolderOf(const std::string& family) {
    std::filesystem::copy(std::filesystem::path(LOCUS_GOLDEN) / "family" / family, path(),
                          std::filesystem::copy_options::recursive);
  }

  const std::filesystem::path& path() const { return folder_.path(); }
  std::filesystem::path operator/(const std::string& name) const { return folder_ / name; }

  // Replaces a text in config.json.
  void change(const std::string& from, const std::string& to) const {
    std::string text = read_file(folder_ / "config.json");
    const size_t at = text.find(from);
    ASSERT_NE(at, std::string::npos) << from;
    put(folder_ / "config.json", text.replace(at, from.size(), to));
  }

  std::vector<NamedTensor> tensors() const {
    const SafetensorsFile file(folder_ / "model.safetensors");
    std::vector<NamedTensor> tensors;
    for (const TensorEntry& entry : file.entries()) tensors.emplace_back(entry.name, file.read(entry.name));
    return tensors;
  }
  void write(const std::vector<NamedTensor>& tensors) const {
    write_safetensors(folder_ / "model.safetensors", tensors);
  }

  // Splits the weights into two shards with an index. The callback may modify the index before it is written.
  void shard(const std::function<void(std::map<std::string, std::string>&)>& index = {}) const;

  void expect_refused(std::initializer_list<const char*> values, Code code = Code::none) const {
    expect_error(Fault::data, code, values, [&] { open_model(path()); });
  }

 private:
  TemporaryFolder folder_;
};

inline void FolderOf::shard(const std::function<void(std::map<std::string, std::string>&)>& index) const {
  const std::vector<NamedTensor> all = tensors();
  std::filesystem::remove(folder_ / "model.safetensors");
  std::map<std::string, std::string> map;
  std::vector<NamedTensor> parts[2];
  for (size_t i = 0; i < all.size(); ++i) {
    parts[i % 2].push_back(all[i]);
    map[all[i].first] = i % 2 == 0 ? "one.safetensors" : "two.safetensors";
  }
  write_safetensors(folder_ / "one.safetensors", parts[0]);
  write_safetensors(folder_ / "two.safetensors", parts[1]);
  if (index) index(map);
  std::string text = R"({"metadata": {"total_size": 1}, "weight_map": {)";
  for (const auto& [tensor, file] : map) {
    text += fmt::format(R"({}"{}": "{}")", text.back() == '{' ? "" : ", ", tensor, file);
  }
  put(folder_ / "model.safetensors.index.json", text + "}}");
}

}  // namespace locus
