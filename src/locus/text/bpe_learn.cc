#include "locus/text/bpe_learn.h"

#include <algorithm>
#include <array>
#include <limits>
#include <queue>
#include <set>
#include <utility>

#include "locus/base/error.h"
#include "locus/base/quote.h"
#include "locus/text/byte_alphabet.h"
#include "locus/text/word_scanner.h"

namespace locus {
namespace {

constexpr uint32_t kNone = std::numeric_limits<uint32_t>::max();
constexpr int32_t kBytes = 256;

// All distinct words, concatenated into one linked list of tokens that merges shorten. Every pair knows the
// places of its left tokens, so a merge visits only these.
class Learner {
 public:
  explicit Learner(const WordCounts& counts) {
    std::array<int32_t, kBytes> ids{};
    for (int32_t id = 0; id < kBytes; ++id) {
      ids[bytes_in_order()[id]] = id;
      token(std::string(1, static_cast<char>(bytes_in_order()[id])));
    }
    for (const auto& [word, count] : counts.words()) add_word(word, count, ids);
    for (const auto& [pair, uses] : pairs_) push(pair, uses.count);
  }

  int32_t size() const { return static_cast<int32_t>(tokens_.size()); }

  // Merges the best pair. Returns false if no pair occurs twice.
  bool step() {
    while (!queue_.empty()) {
      const Candidate best = queue_.top();
      queue_.pop();
      const auto found = pairs_.find(best.pair);
      if (found == pairs_.end()) continue;
      Uses& uses = found->second;
      if (uses.count != best.count) {  // out of date: merges made it rarer
        if (uses.count > 0) push(best.pair, uses.count);
        continue;
      }
      if (best.count < 2) return false;
      merge(best.pair, std::exchange(uses, {}));
      return true;
    }
    return false;
  }

  void finish(const std::vector<std::string>& specials, BpeVocabulary& vocabulary) {
    std::set<std::string> spellings;
    for (const std::string& bytes : tokens_) spellings.insert(spelled(bytes));
    for (const std::string& name : specials) {
      require(!spellings.contains(name),
              "learning merges: special token {} is already a token, expected another name", quote(name));
    }
    vocabulary.specials = numbered_from(size(), specials);
    tokens_.resize(tokens_.size() + specials.size());
    vocabulary.tokens = std::move(tokens_);
    vocabulary.merges = std::move(merges_);
  }

 private:
  using Pair = uint64_t;  // left id, right id

  struct Node {
    int32_t id;  // -1: merged into the previous node
    uint32_t previous, next;
    uint32_t word;
  };
  struct Uses {
    int64_t count = 0;             // in the whole text
    std::vector<uint32_t> places;  // of left tokens; some may be out of date
  };
  struct Candidate {
    int64_t count;
    Pair pair;
    bool operator<(const Candidate& other) const {
      return count != other.count ? count < other.count : pair > other.pair;
    }
  };

  static Pair pair_of(int32_t left, int32_t right) {
    return Pair{static_cast<uint32_t>(left)} << 32 | static_cast<uint32_t>(right);
  }

  // The id of a token, which may already exist from another pair: abc is a + bc and ab + c.
  int32_t token(std::string bytes) {
    const auto [found, fresh] = ids_.emplace(std::move(bytes), size());
    if (fresh) tokens_.push_back(found->first);
    return found->second;
  }

  void push(Pair pair, int64_t count) { queue_.push({count, pair}); }

  void add_word(const std::string& word, int64_t count, const std::array<int32_t, kBytes>& ids) {
    require(nodes_.size() + word.size() < kNone,
            "learning merges: the distinct words have {} bytes or more, expected fewer", kNone);
    const auto first = static_cast<uint32_t>(nodes_.size()), number = static_cast<uint32_t>(weights_.size());
    weights_.push_back(count);
    for (const char c : word) {
      const auto place = static_cast<uint32_t>(nodes_.size());
      const int32_t id = ids[static_cast<unsigned char>(c)];
      nodes_.push_back({id, place == first ? kNone : place - 1, place + 1, number});
      if (place > first) add_use(nodes_[place - 1].id, id, place - 1);
    }
    nodes_.back().next = kNone;
  }

  void add_use(int32_t left, int32_t right, uint32_t place) {
    Uses& uses = pairs_[pair_of(left, right)];
    uses.count += weights_[nodes_[place].word];
    uses.places.push_back(place);
  }

  void remove_use(int32_t left, int32_t right, uint32_t place) {
    const auto found = pairs_.find(pair_of(left, right));
    if (found != pairs_.end()) found->second.count -= weights_[nodes_[place].word];
  }

  void merge(Pair pair, Uses uses) {
    const auto left = static_cast<int32_t>(pair >> 32), right = static_cast<int32_t>(pair & 0xffffffffu);
    const int32_t result = token(tokens_[left] + tokens_[right]);
    merges_.push_back({left, right, result, static_cast<uint32_t>(merges_.size())});
    std::ranges::sort(uses.places);  // of the overlapping pairs in aaa, the left one merges
    changed_.clear();
    for (const uint32_t place : uses.places) {
      const Node& node = nodes_[place];
      if (node.id != left || node.next == kNone || nodes_[node.next].id != right) continue;
      merge_at(place, left, right, result);
    }
    pairs_.erase(pair);
    std::ranges::sort(changed_);
    changed_.erase(std::unique(changed_.begin(), changed_.end()), changed_.end());
    for (const Pair each : changed_) {
      const auto found = pairs_.find(each);
      if (found != pairs_.end() && found->second.count > 0) push(each, found->second.count);
    }
  }

  void merge_at(uint32_t place, int32_t left, int32_t right, int32_t result) {
    Node& node = nodes_[place];
    const uint32_t removed = node.next, next = nodes_[removed].next;
    if (node.previous != kNone) {
      const int32_t previous = nodes_[node.previous].id;
      remove_use(previous, left, node.previous);
      add_use(previous, result, node.previous);
      changed_.push_back(pair_of(previous, result));
    }
    node.id = result;
    node.next = next;
    nodes_[removed].id = -1;
    if (next == kNone) return;
    nodes_[next].previous = place;
    remove_use(right, nodes_[next].id, removed);
    add_use(result, nodes_[next].id, place);
    changed_.push_back(pair_of(result, nodes_[next].id));
  }

  std::vector<std::string> tokens_;
  std::unordered_map<std::string, int32_t> ids_;
  std::vector<Merge> merges_;
  std::vector<Node> nodes_;
  std::vector<int64_t> weights_;  // number of occurrences of each word
  std::unordered_map<Pair, Uses> pairs_;
  std::priority_queue<Candidate> queue_;
  std::vector<Pair> changed_;  // new pairs of the last merge
};

}  // namespace

void WordCounts::add(std::string_view text) {
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = word_end(text, begin);
    ++words_[std::string(text.substr(begin, end - begin))];
    begin = end;
  }
}

BpeVocabulary learn_bpe(const WordCounts& counts, const LearnOptions& options) {
  const auto specials = static_cast<int64_t>(options.specials.size());
  require(options.size >= kBytes + specials,
          "learning merges: size is {}, expected at least 256 bytes and {} special tokens", options.size,
          specials);
  const auto most = static_cast<int32_t>(options.size - specials);
  Learner learner(counts);
  int32_t next_report = 0;
  while (learner.size() < most && learner.step()) {
    if (!options.progress || learner.size() < next_report) continue;
    options.progress(learner.size(), options.size);
    next_report = learner.size() + 64;
  }
  BpeVocabulary vocabulary;
  learner.finish(options.specials, vocabulary);
  return vocabulary;
}

}  // namespace locus
