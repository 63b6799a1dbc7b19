// A folder with a reranker.
#pragma once

#include "locus/base/file.h"
#include "locus/checkpoint/safetensors.h"
#include "tests/apply/expected.h"
#include "tests/text/text_files.h"

namespace locus::serve {

// The golden classifier with only its first class.
class Reranker {
 public:
  Reranker() : folder_("classify") {
    std::vector<NamedTensor> tensors;
    {
      const SafetensorsFile file(folder_ / "model.safetensors");
      for (const TensorEntry& entry : file.entries()) {
        Tensor tensor = file.read(entry.name);
        if (entry.name == "classifier.weight") tensor = tensor.rows(0, 1).clone();
        if (entry.name == "classifier.bias") tensor = Tensor::of({1}, {tensor.data<float>()[0]});
        tensors.emplace_back(entry.name, tensor);
      }
    }
    write_safetensors(folder_ / "model.safetensors", std::move(tensors));
    std::string config = read_file(folder_ / "config.json");
    const auto replace = [&](const std::string& name, const std::string& value) {
      const size_t begin = config.find('{', config.find("\"" + name + "\"")), end = config.find('}', begin);
      config.replace(begin, end - begin + 1, value);
    };
    replace("id2label", R"({"0": "relevance"})");
    replace("label2id", R"({"relevance": 0})");
    put(folder_ / "config.json", config);
  }
  const std::filesystem::path& path() const { return folder_.path(); }

 private:
  CopyOf folder_;
};

}  // namespace locus::serve
