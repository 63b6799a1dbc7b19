// The first message on every connection between ranks, in both directions. It refuses strangers: other
// programs that connect to the port, and ranks of another job or version. The job's name keeps jobs apart; it
// is not a secret that protects from an attacker who reads the network.
//
//   offset  bytes
//        0      8  "LOCUSJOB"
//        8      4  version of the protocol
//       12      4  answer: welcome, or why not
//       16      4  rank of the sender
//       20      4  number of ranks
//       24      4  what the connection is for
//       28      4  port on which the sender accepts ranks above it
//       32     64  name of the job, filled with zeros
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "locus/dist/transport.h"

namespace locus::dist {

inline constexpr size_t kGreetingBytes = 96, kMostJobBytes = 64;
inline constexpr uint32_t kProtocolVersion = 1;

enum class Answer : uint32_t { welcome, other_version, other_job, other_size, wrong_rank };
enum class Purpose : uint32_t { messages, watch };  // the connections of each pair of ranks

struct Greeting {
  uint32_t version = kProtocolVersion;
  Answer answer = Answer::welcome;
  int rank = 0, size = 0;
  Purpose purpose = Purpose::messages;
  int port = 0;
  std::string job = {};  // at most kMostJobBytes; a longer name is replaced by its checksum
};

// The name of a job as it fits into a greeting.
std::string job_name(const std::string& job);

std::array<std::byte, kGreetingBytes> encode(const Greeting& greeting);
// Nothing if the bytes are not a greeting.
std::optional<Greeting> decode(ConstBytes bytes);

// How `mine` answers the greeting of a rank that connects.
Answer answer_to(const Greeting& theirs, const Greeting& mine);
// What an answer other than welcome means, for the error of the rank that was refused.
std::string_view meaning_of(Answer answer);

}  // namespace locus::dist
