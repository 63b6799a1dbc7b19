#include "locus/run/manifest.h"

#include <iterator>
#include <map>

#include "locus/base/checksum.h"
#include "locus/base/error.h"
#include "locus/base/parse.h"
#include "locus/base/quote.h"

namespace locus {
namespace {

namespace fs = std::filesystem;

constexpr const char* kTitle = "locus checkpoint 1\n";
constexpr uint64_t kMostBytes = uint64_t{64} << 20;

std::span<const std::byte> bytes_of(const Tensor& tensor) {
  return {tensor.view().data, static_cast<size_t>(tensor.numel() * size_of(tensor.dtype()))};
}

std::string end_line(std::string_view lines) { return fmt::format("end {:016x}\n", checksum(lines)); }

// The bytes before the tensors: the length of the header, and the header.
std::vector<std::byte> head_of(const fs::path& path) {
  const InputFile file(path);
  uint64_t length = 0;
  require(file.size() >= sizeof length, Code::damaged_file,
          "'{}' is truncated: got {} bytes, expected at least {}", path.string(), file.size(), sizeof length);
  file.read_at(0, std::as_writable_bytes(std::span(&length, 1)));
  require(length <= kMaxHeaderBytes && length <= file.size() - sizeof length, Code::damaged_file,
          "'{}' is truncated: its header has {} bytes, the file {}", path.string(), length, file.size());
  std::vector<std::byte> head(sizeof length + length);
  file.read_at(0, head);
  return head;
}

// The lines between title and end, after their checksum is verified.
std::string_view verified_lines(std::string_view whole, const std::string& name) {
  const std::string_view title = kTitle;
  const size_t end_size = end_line("").size();
  require(whole.starts_with(title) && whole.size() >= title.size() + end_size, Code::damaged_file,
          "'{}' is not a checkpoint manifest, or is truncated", name);
  const std::string_view lines = whole.substr(0, whole.size() - end_size);
  require(whole.substr(lines.size()) == end_line(lines), Code::damaged_file,
          "'{}' is damaged: its checksum differs from the saved one", name);
  return lines.substr(title.size());
}

struct Line {
  std::string_view kind, rest;
  uint64_t sum = 0, bytes = 0;
};

// Removes the first line from `text` and parses it.
Line take_line(std::string_view& text, const std::string& name) {
  const size_t end = text.find('\n');
  require(end != std::string_view::npos, Code::damaged_file, "'{}' is truncated in a line", name);
  std::string_view line = text.substr(0, end);
  text.remove_prefix(end + 1);
  const auto word = [&] {
    const size_t space = std::min(line.find(' '), line.size());
    const std::string_view first = line.substr(0, space);
    line.remove_prefix(std::min(space + 1, line.size()));
    return first;
  };
  const auto number = [&](int base) {
    const std::string_view digits = word();
    const std::optional<uint64_t> value = parse<uint64_t>(digits, base);
    require(value.has_value(), Code::damaged_file, "bad line in '{}': got {}, expected a number", name,
            quote(digits));
    return *value;
  };
  Line result{.kind = word()};
  result.sum = number(16);
  result.bytes = number(10);
  result.rest = line;
  return result;
}

void compare(const Line& line, std::span<const std::byte> bytes, const fs::path& path,
             std::string_view part) {
  require(bytes.size() == line.bytes && checksum(bytes) == line.sum, Code::damaged_file,
          "'{}' is damaged: {} has another checksum or size than when it was saved", path.string(), part);
}

std::string plain_name(std::string_view name, const std::string& manifest) {
  require(!name.empty() && name.find('/') == std::string_view::npos && name != "." && name != "..",
          Code::damaged_file, "bad line in '{}': got {}, expected a file name without folders", manifest,
          quote(name));
  return std::string(name);
}

}  // namespace

ManifestWriter::ManifestWriter(fs::path folder) : folder_(std::move(folder)), text_(kTitle) {}

void ManifestWriter::line(std::string_view kind, uint64_t sum, uint64_t bytes, std::string_view rest) {
  fmt::format_to(std::back_inserter(text_), "{} {:016x} {} {}\n", kind, sum, bytes, rest);
}

void ManifestWriter::add(const std::string& name, std::string_view text) {
  write_file(folder_ / name, text);
  line("file", checksum(text), text.size(), name);
}

void ManifestWriter::add(const std::string& name, std::vector<TensorSource> tensors) {
  std::map<std::string, uint64_t> sums;  // of the bytes that are written
  for (TensorSource& tensor : tensors) {
    require(tensor.name.find('\n') == std::string::npos,
            "cannot save tensor {}: expected a name without line breaks", quote(tensor.name));
    tensor.read = [&sum = sums[tensor.name], read = std::move(tensor.read)] {
      const Tensor here = read().on_host(), whole = here.contiguous() ? here : here.clone();
      sum = checksum(bytes_of(whole));
      return whole;
    };
  }
  stream_safetensors(folder_ / name, tensors);
  const std::vector<std::byte> head = head_of(folder_ / name);
  line("head", checksum(head), head.size(), name);
  for (const TensorSource& tensor : tensors) {
    const auto bytes = static_cast<uint64_t>(tensor.shape.numel() * size_of(tensor.dtype));
    line("tensor", sums[tensor.name], bytes, fmt::format("{} {}", name, tensor.name));
  }
}

void ManifestWriter::finish() {
  text_ += end_line(text_);
  write_file(folder_ / kManifestName, text_);
}

void verify_manifest(const fs::path& folder) {
  const std::string name = (folder / kManifestName).string();
  const std::string all = read_file(name, kMostBytes);
  std::string_view text = verified_lines(all, name);
  std::map<std::string, SafetensorsFile> opened;
  std::map<std::string, size_t> counts;
  while (!text.empty()) {
    const Line line = take_line(text, name);
    const size_t space = line.kind == "tensor" ? line.rest.find(' ') : std::string_view::npos;
    const std::string file = plain_name(line.rest.substr(0, space), name);
    const fs::path path = folder / file;
    if (line.kind == "file") {
      const std::string saved = read_file(path, uint64_t{1} << 40);
      compare(line, std::as_bytes(std::span(saved)), path, "the file");
    } else if (line.kind == "head") {
      compare(line, head_of(path), path, "its header");
      opened.emplace(file, path);
    } else {
      const auto found = opened.find(file);
      require(line.kind == "tensor" && found != opened.end() && space != std::string_view::npos,
              Code::damaged_file, "bad line in '{}': got {} {}, expected file, head or tensor and a file",
              name, quote(line.kind), quote(file));
      const std::string_view tensor = line.rest.substr(space + 1);
      compare(line, bytes_of(found->second.read(tensor)), path, fmt::format("tensor {}", quote(tensor)));
      ++counts[file];
    }
  }
  for (const auto& [file, tensors] : opened) {
    require(counts[file] == tensors.entries().size(), Code::damaged_file,
            "'{}' is damaged: got {} tensors, expected {}", (folder / file).string(),
            tensors.entries().size(), counts[file]);
  }
}

}  // namespace locus
