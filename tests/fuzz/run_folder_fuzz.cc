// A run folder in which one file has any bytes: throws an Error, or the trained model opens. The first byte
// chooses the file. The manifest gets the checksum of the changed file, so that the readers after it see the
// bytes; if the manifest is the file, its own checksum is corrected.
#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <filesystem>

#include "locus/base/checksum.h"
#include "locus/base/error.h"
#include "locus/checkpoint/parameters_file.h"
#include "locus/run/manifest.h"
#include "locus/run/run_settings.h"
#include "locus/run/saved_run.h"
#include "locus/text/byte_vocabulary.h"
#include "tests/fuzz/scratch.h"

namespace {

namespace fs = std::filesystem;

constexpr const char* kConfig =
    "[model]\nkind = 'encoder'\nhead = 'sequence_class'\nlabels = 2\nvocabulary = 259\nwidth = 4\n"
    "layers = 1\nheads = 2\nmax_length = 8\n[model.scheme]\nname = 'none'\n";

fs::path made_run() {
  static const Scratch folder;
  const fs::path run = folder / "run";
  locus::TextTask task = locus::task_of(locus::Settings::parse(kConfig, "config"));
  task.tokenizer = std::make_shared<locus::ByteVocabulary>(std::vector<std::string>{"<s>", "</s>", "<mask>"});
  task.labels = {"bad", "good"};
  const locus::Model model(task.blueprint, {.seed = 1});
  locus::RunFolder(run).save({.state = {.step = 1},
                              .model = locus::named_tensors(model.parameters()),
                              .optimizer = {},
                              .config = kConfig,
                              .files = locus::files_of(task, folder / "scratch")});
  return run;
}

class Checkpoint {
 public:
  static constexpr std::array kNames = {locus::kManifestName, "config.toml", "state.toml",
                                        "vocabulary.json",    "labels.json", "model.safetensors"};

  explicit Checkpoint(const fs::path& folder) : folder_(folder) {
    for (const char* name : kNames) contents_.push_back(locus::read_file(folder / name));
    lines_ = contents_[0].substr(0, contents_[0].rfind("end "));
  }

  // Replaces a file, and restores the one before.
  void change(size_t index, std::string_view bytes) {
    if (index != changed_) put(folder_ / kNames[changed_], contents_[changed_]);
    changed_ = index;
    std::string lines = index == 0 ? std::string(bytes) : "";
    if (index != 0) {
      put(folder_ / kNames[index], bytes);
      lines = with_line(kNames[index], bytes);
    }
    put(folder_ / kNames[0], lines + fmt::format("end {:016x}\n", locus::checksum(lines)));
  }

 private:
  // The manifest, in which one line for the whole file replaces all lines about it.
  std::string with_line(const std::string& name, std::string_view bytes) const {
    std::string result;
    for (size_t begin = 0; begin < lines_.size();) {
      const size_t end = lines_.find('\n', begin) + 1;
      const std::string line = lines_.substr(begin, end - begin);
      if (line.find(" " + name) == std::string::npos) result += line;
      begin = end;
    }
    return result + fmt::format("file {:016x} {} {}\n", locus::checksum(bytes), bytes.size(), name);
  }

  fs::path folder_;
  std::vector<std::string> contents_;
  std::string lines_;
  size_t changed_ = 0;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const fs::path run = made_run();
  static Checkpoint checkpoint(run / "last/");
  if (size == 0) return 0;
  checkpoint.change(data[0] % Checkpoint::kNames.size(), {reinterpret_cast<const char*>(data) + 1, size - 1});
  try {
    locus::load_run(run / "last");
  } catch (const locus::Error&) {
  }
  return 0;
}
