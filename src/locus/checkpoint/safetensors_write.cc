// Writes safetensors files, byte for byte like the reference writer of the format.
#include <algorithm>
#include <iterator>

#include "locus/base/checked.h"
#include "locus/base/json.h"
#include "locus/base/json_document.h"
#include "locus/base/quote.h"
#include "locus/checkpoint/safetensors.h"
#include "locus/checkpoint/stored_type.h"

namespace locus {
namespace {

constexpr size_t kHeaderAlignment = 8;

int64_t bytes_of(const TensorSource& tensor) { return tensor.shape.numel() * size_of(tensor.dtype); }

std::string header_text(const std::vector<TensorSource>& tensors,
                        const std::map<std::string, std::string>& metadata) {
  std::string header = "{";
  const auto separate = [&] {
    if (header.back() != '{') header += ',';
  };
  if (!metadata.empty()) {
    header += "\"__metadata__\":{";
    for (const auto& [key, text] : metadata) {
      separate();
      header += json::text(key) + ':' + json::text(text);
    }
    header += '}';
  }
  int64_t begin = 0;
  for (const TensorSource& tensor : tensors) {
    const int64_t end = checked_add(begin, bytes_of(tensor), "bytes of a safetensors file");
    separate();
    fmt::format_to(std::back_inserter(header), R"({}:{{"dtype":"{}","shape":[{}],"data_offsets":[{},{}]}})",
                   json::text(tensor.name), stored_type_of(tensor.dtype).name,
                   fmt::join(tensor.shape.sizes(), ","), begin, end);
    begin = end;
  }
  header += '}';
  header.append((kHeaderAlignment - header.size() % kHeaderAlignment) % kHeaderAlignment, ' ');
  return header;
}

void check_text(const std::filesystem::path& path, const char* what, std::string_view text) {
  require(json::is_utf8(text), "cannot write '{}': {} {} is not valid UTF-8", path.string(), what,
          quote(text));
}

void check(const std::filesystem::path& path, const std::vector<TensorSource>& tensors,
           const std::map<std::string, std::string>& metadata) {
  for (const auto& [key, text] : metadata) {
    check_text(path, "the metadata key", key);
    check_text(path, "the metadata text", text);
  }
  std::vector<std::string_view> names;
  for (const TensorSource& tensor : tensors) {
    const std::string& name = tensor.name;
    check_text(path, "the tensor name", name);
    require(name != "__metadata__",
            "cannot write '{}': a tensor is named '__metadata__', which the format reserves", path.string());
    names.push_back(name);
  }
  std::ranges::sort(names);
  const auto twice = std::ranges::adjacent_find(names);
  if (twice != names.end())
    fail(Fault::data, "cannot write '{}': two tensors have the name {}", path.string(), quote(*twice));
}

}  // namespace

std::vector<TensorSource> sources_of(const std::vector<NamedTensor>& tensors) {
  std::vector<TensorSource> sources;
  for (const auto& [name, tensor] : tensors) {
    sources.push_back({name, tensor.shape(), tensor.dtype(), [tensor = tensor] { return tensor; }});
  }
  return sources;
}

void write_safetensors(const std::filesystem::path& path, std::vector<NamedTensor> tensors,
                       const std::map<std::string, std::string>& metadata) {
  for (const auto& [name, tensor] : tensors) {
    require(static_cast<bool>(tensor), "cannot write '{}': tensor {} is empty (no memory)", path.string(),
            quote(name));
  }
  stream_safetensors(path, sources_of(tensors), metadata);
}

void stream_safetensors(const std::filesystem::path& path, std::vector<TensorSource> tensors,
                        const std::map<std::string, std::string>& metadata) {
  check(path, tensors, metadata);
  // stored_types() is sorted by alignment, so the address of a type gives its rank.
  std::ranges::sort(tensors, [](const TensorSource& left, const TensorSource& right) {
    const StoredType* left_type = &stored_type_of(left.dtype);
    const StoredType* right_type = &stored_type_of(right.dtype);
    return left_type != right_type ? left_type > right_type : left.name < right.name;
  });
  const std::string header = header_text(tensors, metadata);
  require(header.size() <= kMaxHeaderBytes, "cannot write '{}': the header has {} bytes, expected at most {}",
          path.string(), header.size(), kMaxHeaderBytes);
  AtomicFile file(path);
  const uint64_t length = header.size();
  file.write(std::as_bytes(std::span(&length, 1)));
  file.write(header);
  for (const TensorSource& tensor : tensors) {
    const Tensor here = tensor.read().on_host(), whole = here.contiguous() ? here : here.clone();
    file.write(std::span<const std::byte>(whole.view().data, static_cast<size_t>(bytes_of(tensor))));
  }
  file.commit();
}

}  // namespace locus
