#include "locus/checkpoint/weight_files.h"

#include <algorithm>

#include "locus/base/error.h"
#include "locus/base/paths.h"
#include "locus/base/quote.h"
#include "locus/checkpoint/config.h"
#include "locus/checkpoint/listed.h"

namespace locus {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMostProblems = 20;  // listed problems of an index

[[noreturn]] void refuse_without_weights(const fs::path& folder) {
  require(is_there(folder), Code::missing_file, "'{}': the folder does not exist", folder.string());
  for (const char* name : {"pytorch_model.bin", "pytorch_model.bin.index.json", "tf_model.h5",
                           "flax_model.msgpack", "model.ckpt.index"}) {
    if (!is_there(folder / name)) continue;
    fail({Fault::data, Code::missing_file,
          "convert it in Python with AutoModel.from_pretrained(folder).save_pretrained(folder)"},
         "'{}': found {} instead of model.safetensors; Locus does not read that format, which can run code "
         "when it is opened",
         folder.string(), name);
  }
  fail({Fault::data, Code::missing_file},
       "'{}': no weights found, expected model.safetensors or model.safetensors.index.json", folder.string());
}

bool inside(const fs::path& file, const fs::path& folder) {
  return std::mismatch(folder.begin(), folder.end(), file.begin(), file.end()).first == folder.end();
}

// Files inside the folder, and for a snapshot in the Hugging Face cache the blobs that it links to.
bool allowed(const fs::path& file, const fs::path& folder) {
  std::error_code error;
  const fs::path real = fs::canonical(folder, error);
  if (error || inside(file, real)) return !error;
  return real.parent_path().filename() == "snapshots" &&
         inside(file, real.parent_path().parent_path() / "blobs");
}

// What is wrong with the name of a shard; empty if it is valid.
std::string complaint(const fs::path& folder, const std::string& name) {
  const fs::path path(name);
  if (name.empty() || path.is_absolute() || path.filename() != path || name == "." || name == "..") {
    return fmt::format("shard {}: not a plain file name, expected a file inside the folder", quote(name));
  }
  if (!is_there(folder / path)) return fmt::format("shard {}: the file is missing", quote(name));
  std::error_code error;
  const fs::path real = fs::canonical(folder / path, error);
  if (error || !allowed(real, folder)) {
    return fmt::format("shard {}: links to {} outside the folder", quote(name), quote(real.string()));
  }
  return "";
}

void refuse(const fs::path& path, const std::vector<std::string>& problems) {
  if (problems.empty()) return;
  fail(Fault::data, "'{}': {} problem{}:{}", path.string(), problems.size(), problems.size() == 1 ? "" : "s",
       listed(problems, kMostProblems));
}

}  // namespace

WeightFiles::WeightFiles(const fs::path& folder) : folder_(folder) {
  if (is_there(folder / "model.safetensors")) {
    files_.emplace_back(folder / "model.safetensors");
    for (const TensorEntry& entry : files_[0].entries()) where_.emplace(entry.name, 0);
  } else if (is_there(folder / "model.safetensors.index.json")) {
    open_shards(folder / "model.safetensors.index.json");
  } else {
    refuse_without_weights(folder);
  }
}

void WeightFiles::open_shards(const fs::path& index) {
  const Config config(index);
  const std::map<std::string, std::string> map = config.members("weight_map");
  std::map<std::string, size_t> shards;
  std::vector<std::string> problems;
  for (const auto& [tensor, name] : map) {
    if (!shards.emplace(name, files_.size()).second) continue;
    if (std::string problem = complaint(folder_, name); !problem.empty()) {
      problems.push_back(std::move(problem));
    } else {
      files_.emplace_back(folder_ / name);
    }
  }
  refuse(index, problems);
  for (size_t file = 0; file < files_.size(); ++file) {
    for (const TensorEntry& entry : files_[file].entries()) {
      const auto [at, fresh] = where_.emplace(entry.name, file);
      if (fresh) continue;
      problems.push_back(fmt::format("tensor {} is in two shards, {} and {}", quote(entry.name),
                                     quote(files_[at->second].path().filename().string()),
                                     quote(files_[file].path().filename().string())));
    }
  }
  for (const auto& [tensor, name] : map) {
    if (!files_[shards.at(name)].has(tensor)) {
      problems.push_back(fmt::format("tensor {} is missing from its shard {}", quote(tensor), quote(name)));
    }
  }
  refuse(index, problems);
  require(!files_.empty(), "'{}': weight_map is empty, expected at least one tensor", index.string());
}

const SafetensorsFile* WeightFiles::find(std::string_view tensor) const {
  const auto found = where_.find(tensor);
  return found == where_.end() ? nullptr : &files_[found->second];
}

bool WeightFiles::same(std::string_view left, std::string_view right) const {
  const SafetensorsFile &left_file = *find(left), &right_file = *find(right);
  const TensorEntry &a = left_file.entry(left), &b = right_file.entry(right);
  if (a.type != b.type || a.sizes != b.sizes) return false;
  constexpr uint64_t kPiece = 1 << 20;
  std::vector<std::byte> from(kPiece), to(kPiece);
  for (uint64_t done = 0; done < a.end - a.begin; done += kPiece) {
    const uint64_t size = std::min(kPiece, a.end - a.begin - done);
    left_file.read_part(a, done, std::span(from).first(size));
    right_file.read_part(b, done, std::span(to).first(size));
    if (!std::equal(from.begin(), from.begin() + static_cast<int64_t>(size), to.begin())) return false;
  }
  return true;
}

double WeightFiles::numbers() const {
  double total = 0;
  for (const SafetensorsFile& file : files_) total += file.numbers();
  return total;
}

}  // namespace locus
