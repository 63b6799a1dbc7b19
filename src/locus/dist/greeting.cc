#include "locus/dist/greeting.h"

#include <algorithm>
#include <cstring>

#include "locus/base/checksum.h"
#include "locus/base/reader.h"
#include "locus/dist/identity.h"

namespace locus::dist {
namespace {

constexpr std::string_view kMagic = "LOCUSJOB";

bool in_range(uint32_t value, uint32_t least, uint32_t most) { return value >= least && value <= most; }

}  // namespace

std::string job_name(const std::string& job) {
  return job.size() <= kMostJobBytes ? job : fmt::format("{:016x}", checksum(job));
}

std::array<std::byte, kGreetingBytes> encode(const Greeting& greeting) {
  std::array<std::byte, kGreetingBytes> bytes{};
  size_t at = 0;
  const auto put = [&](const void* data, size_t size) {
    std::memcpy(bytes.data() + at, data, size);
    at += size;
  };
  put(kMagic.data(), kMagic.size());
  const std::array<uint32_t, 6> numbers{greeting.version,
                                        static_cast<uint32_t>(greeting.answer),
                                        static_cast<uint32_t>(greeting.rank),
                                        static_cast<uint32_t>(greeting.size),
                                        static_cast<uint32_t>(greeting.purpose),
                                        static_cast<uint32_t>(greeting.port)};
  put(numbers.data(), sizeof(numbers));
  put(greeting.job.data(), std::min(greeting.job.size(), kMostJobBytes));
  return bytes;
}

std::optional<Greeting> decode(ConstBytes bytes) {
  if (bytes.size() != kGreetingBytes || std::memcmp(bytes.data(), kMagic.data(), kMagic.size()) != 0) {
    return std::nullopt;
  }
  Reader reader(bytes.subspan(kMagic.size()), "greeting");
  Greeting greeting{.version = reader.number<uint32_t>("version")};
  const auto answer = reader.number<uint32_t>("answer");
  const auto rank = reader.number<uint32_t>("rank"), size = reader.number<uint32_t>("size");
  const auto purpose = reader.number<uint32_t>("purpose"), port = reader.number<uint32_t>("port");
  // Later versions may give other meanings to what follows the version.
  if (greeting.version != kProtocolVersion) return greeting;
  if (!in_range(answer, 0, static_cast<uint32_t>(Answer::wrong_rank)) || !in_range(size, 1, kMostRanks) ||
      !in_range(rank, 0, size - 1) || !in_range(purpose, 0, static_cast<uint32_t>(Purpose::watch)) ||
      !in_range(port, 0, 65535)) {
    return std::nullopt;
  }
  greeting.answer = static_cast<Answer>(answer);
  greeting.rank = static_cast<int>(rank);
  greeting.size = static_cast<int>(size);
  greeting.purpose = static_cast<Purpose>(purpose);
  greeting.port = static_cast<int>(port);
  const ConstBytes job = reader.take(kMostJobBytes, "job");
  greeting.job.assign(reinterpret_cast<const char*>(job.data()), job.size());
  greeting.job.resize(std::min(greeting.job.find('\0'), greeting.job.size()));
  return greeting;
}

Answer answer_to(const Greeting& theirs, const Greeting& mine) {
  if (theirs.version != mine.version) return Answer::other_version;
  if (theirs.job != mine.job) return Answer::other_job;
  if (theirs.size != mine.size) return Answer::other_size;
  return Answer::welcome;
}

std::string_view meaning_of(Answer answer) {
  switch (answer) {
    case Answer::welcome:
      return "welcome";
    case Answer::other_version:
      return "it is another version of Locus";
    case Answer::other_job:
      return "it belongs to another job";
    case Answer::other_size:
      return "it expects another number of ranks";
    case Answer::wrong_rank:
      return "it already has a rank with this number, or expects none";
  }
  return "an unknown reason";
}

}  // namespace locus::dist
