#include "locus/dist/handshake.h"

#include <algorithm>

#include "locus/base/error.h"
#include "locus/base/quote.h"
#include "locus/base/version.h"

namespace locus::dist {
namespace {

constexpr uint64_t kMostFactBytes = uint64_t{1} << 30;

Bytes text_bytes(std::string& text) { return std::as_writable_bytes(std::span(text)); }
ConstBytes text_bytes(const std::string& text) { return std::as_bytes(std::span(text)); }

void require_size(uint64_t bytes, int rank) {
  if (bytes <= kMostFactBytes) return;
  fail(Fault::peer, "rank {} sends a text of {} bytes, expected at most {}", rank, bytes, kMostFactBytes);
}

// Names and values, each followed by a zero.
std::string encoded(const Facts& facts) {
  std::string text;
  for (const auto& [name, value] : facts) text += name + '\0' + value + '\0';
  return text;
}

Facts facts_in(const std::string& text) {
  std::vector<std::string> words;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\0', at), text.size());
    words.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  Facts facts;
  for (size_t i = 0; i + 1 < words.size(); i += 2) facts.emplace_back(words[i], words[i + 1]);
  return facts;
}

// The first fact that differs, in words; empty if all are the same.
std::string difference(const Facts& mine, const Facts& expected) {
  const auto value_in = [](const Facts& facts, const std::string& name) {
    const auto found = std::ranges::find(facts, name, &Facts::value_type::first);
    return found == facts.end() ? std::string("nothing") : quote(found->second).text();
  };
  for (const Facts* facts : {&expected, &mine}) {
    for (const auto& [name, value] : *facts) {
      const std::string here = value_in(mine, name), there = value_in(expected, name);
      if (here != there) return fmt::format("{} is {}, expected {}", name, here, there);
    }
  }
  return "";
}

}  // namespace

void broadcast(Transport& transport, Bytes bytes) {
  const bool sends = transport.rank() == 0;
  std::vector<ConstBytes> outgoing(static_cast<size_t>(transport.size()));
  std::vector<Bytes> incoming(outgoing.size());
  if (sends) std::fill(outgoing.begin() + 1, outgoing.end(), bytes);
  if (!sends) incoming[0] = bytes;
  transport.all_to_all(outgoing, incoming);
}

std::string broadcast_text(Transport& transport, std::string text) {
  uint64_t size = text.size();
  broadcast(transport, std::as_writable_bytes(std::span(&size, 1)));
  require_size(size, 0);
  text.resize(size);
  broadcast(transport, text_bytes(text));
  return text;
}

std::vector<std::string> gather_texts(Transport& transport, const std::string& mine) {
  const uint64_t size = mine.size();
  std::vector<uint64_t> sizes(static_cast<size_t>(transport.size()));
  std::vector<Bytes> incoming;
  for (uint64_t& each : sizes) incoming.push_back(std::as_writable_bytes(std::span(&each, 1)));
  transport.all_gather(std::as_bytes(std::span(&size, 1)), incoming);
  std::vector<std::string> texts;
  for (int rank = 0; rank < transport.size(); ++rank) {
    require_size(sizes[rank], rank);
    texts.emplace_back(sizes[rank], ' ');
  }
  incoming.clear();
  for (std::string& text : texts) incoming.push_back(text_bytes(text));
  transport.all_gather(text_bytes(mine), incoming);
  return texts;
}

Facts machine_facts(Device device, const std::string& processor) {
  return {{"the version of Locus", std::string(version())},
          {"the device", std::string(name_of(device))},
          {device == Device::cuda ? "the GPU" : "the SIMD target", processor}};
}

void require_same(Transport& transport, const Facts& facts) {
  if (transport.size() == 1) return;
  const Facts expected = facts_in(broadcast_text(transport, encoded(facts)));
  const std::vector<std::string> differences =
      gather_texts(transport, difference(facts_in(encoded(facts)), expected));
  for (int rank = 0; rank < transport.size(); ++rank) {
    if (differences[rank].empty()) continue;
    fail({Fault::peer, Code::none, "start all processes with the same program, options and data"},
         "rank {} differs from rank 0: {}", rank, without_controls(differences[rank]));
  }
}

}  // namespace locus::dist
