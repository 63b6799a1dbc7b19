#include "locus/apply/kept_vectors.h"

#include <cstring>

#include "locus/base/checksum.h"
#include "locus/base/error.h"
#include "locus/base/file.h"
#include "locus/base/parse.h"
#include "locus/base/paths.h"
#include "locus/dist/parts.h"

namespace locus {
namespace {

namespace fs = std::filesystem;

constexpr const char *kJobFile = "job.txt", *kLockFile = "lock", *kEnding = ".block";

fs::path folder_of(const fs::path& output) { return output.string() + ".blocks"; }

// Removes blocks, and parts of them that a killed process left.
void clear(const fs::path& folder) {
  clear_debris(folder);
  for (const fs::path& file : entries_of(folder)) {
    if (file.extension() == kEnding) remove_whole(file);
  }
}

void require_own(const fs::path& folder) {
  if (!is_there(folder) || is_there(folder / kJobFile) || entries_of(folder).empty()) return;
  fail({Fault::usage, Code::output_exists, "choose another output"},
       "the folder '{}' is not one of unfinished vectors: it has no {}", folder.string(), kJobFile);
}

}  // namespace

KeptVectors::KeptVectors(const fs::path& output, const std::string& job) : folder_(folder_of(output)) {
  constexpr uint64_t kMostBytes = 1 << 26;
  require_own(folder_);
  make_folder(folder_);
  const bool known = is_there(folder_ / kJobFile);
  if (!known) write_file(folder_ / kJobFile, job);  // first: it makes the folder one of vectors
  lock_.emplace(folder_ / kLockFile);
  if (known && read_file(folder_ / kJobFile, kMostBytes) == job) return;
  clear(folder_);
  write_file(folder_ / kJobFile, job);
}

bool KeptVectors::are_there(const fs::path& output) { return is_there(folder_of(output) / kJobFile); }

fs::path KeptVectors::block_file(int64_t block) const {
  return folder_ / fmt::format("{}{}", block, kEnding);
}

std::optional<KeptVectors::Block> KeptVectors::next() {
  const fs::path file = block_file(blocks_);
  if (!is_there(file)) return std::nullopt;
  const std::string bytes = read_file(file, uint64_t{1} << 40);
  try {
    const auto outer = dist::unpack(std::as_bytes(std::span(bytes)), 2, "block");
    require(outer[0] == fmt::format("{:016x}", checksum(outer[1])), "block: wrong checksum");
    const auto parts = dist::unpack(std::as_bytes(std::span(outer[1])), "block");
    require(parts.size() >= 2 && parts[1].size() % sizeof(float) == 0, "block: wrong parts");
    Block block{.records = parse<int64_t>(parts[0]).value_or(0)};
    block.rows.resize(parts[1].size() / sizeof(float));
    if (!block.rows.empty()) std::memcpy(block.rows.data(), parts[1].data(), parts[1].size());
    block.texts.assign(parts.begin() + 2, parts.end());
    ++blocks_;
    return block;
  } catch (const Error& error) {
    if (error.fault() != Fault::data) throw;
    for (int64_t i = blocks_; is_there(block_file(i)); ++i) remove_whole(block_file(i));
    return std::nullopt;
  }
}

void KeptVectors::add(const Block& block) {
  const std::string records = std::to_string(block.records);
  std::vector<std::string_view> parts{records, dist::text_of(std::as_bytes(std::span(block.rows)))};
  parts.insert(parts.end(), block.texts.begin(), block.texts.end());
  const std::vector<std::byte> inner = dist::pack(parts);
  const std::string sum = fmt::format("{:016x}", checksum(inner));
  write_file(block_file(blocks_++), dist::text_of(dist::pack({sum, dist::text_of(inner)})));
}

void KeptVectors::remove() { discard_folder(folder_); }

}  // namespace locus
