// A long sequence of token ids, in memory or in a file.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace locus {

class TokenStream {
 public:
  virtual ~TokenStream() = default;

  virtual int64_t size() const = 0;
  virtual int32_t vocabulary() const = 0;  // V: all ids are below it
  virtual std::string name() const = 0;    // for errors
  // Reads the ids from `begin` on; the range must be inside the stream. Thread-safe.
  virtual void read(int64_t begin, std::span<int32_t> ids) const = 0;
};

class MemoryTokens final : public TokenStream {
 public:
  // `name` is for errors. Checks every id.
  MemoryTokens(std::vector<int32_t> ids, int32_t vocabulary, std::string name);

  int64_t size() const override { return static_cast<int64_t>(ids_.size()); }
  int32_t vocabulary() const override { return vocabulary_; }
  std::string name() const override { return name_; }
  void read(int64_t begin, std::span<int32_t> ids) const override;

 private:
  std::vector<int32_t> ids_;
  int32_t vocabulary_;
  std::string name_;
};

// Throws for the first id that is negative or not below `vocabulary`. `first` is the index of ids[0] in the
// stream `name`.
void check_token_ids(std::span<const int32_t> ids, int32_t vocabulary, int64_t first,
                     const std::string& name);

}  // namespace locus
