#include "locus/cli/search.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "locus/apply/index_model.h"
#include "locus/apply/similarity.h"
#include "locus/base/json.h"
#include "locus/cli/checkpoint_note.h"
#include "locus/cli/terminal.h"

namespace locus::cli {
namespace {

struct Found {
  double score = 0;
  int64_t number = 0;  // of the line or the row
  std::optional<std::string> text;
};

// `place` is "line" or "row". A single query is not repeated.
std::string lines_of(const std::string& query, const std::vector<Found>& found, bool single) {
  std::string lines = single ? "" : one_line(query) + "\n";
  for (const Found& one : found) {
    lines += fmt::format("{:.6f}\t{}", one.score, one.number);
    lines += one.text ? "\t" + one_line(*one.text) + "\n" : "\n";
  }
  return single ? lines : lines + "\n";
}

std::string object_of(const std::string& query, const std::vector<Found>& found, const char* place) {
  std::vector<std::string> matches;
  for (const Found& one : found) {
    json::Members members = {{"score", json::number(one.score)}, {place, json::number(one.number)}};
    if (one.text) members.emplace_back("text", json::text(*one.text));
    matches.push_back(json::object(members));
  }
  return json::object({{"query", json::text(query)}, {"matches", json::list(matches)}}) + "\n";
}

std::vector<Found> found_in(const VectorIndex& index, const std::vector<NearRow>& rows) {
  std::vector<Found> found;
  for (const NearRow& near : rows) {
    found.push_back({near.score, near.row, {}});
    if (index.has_texts()) found.back().text = index.text(near.row);
  }
  return found;
}

}  // namespace

void search_texts(const SearchRequest& request) {
  Records records(request.source("similarity"));
  const Embedder embedder(request.folder, request.weights, request.device);
  note_model(embedder.model().trained());
  Nearest nearest(embedder, request.queries, request.top, request.reading);
  std::vector<int64_t> lines;  // of all texts
  each_chunk(request, records, [&](std::span<const Record> chunk, const ReadOptions& reading) {
    nearest.add(texts_of(chunk), reading);
    for (size_t i = 0; i < chunk.size() && !reading.check_only; ++i) lines.push_back(chunk[i].number);
    return std::vector<std::string>();
  });
  const std::vector<std::vector<Nearest::Match>> best = nearest.best();
  for (size_t q = 0; q < best.size(); ++q) {
    std::vector<Found> found;
    for (const Nearest::Match& match : best[q]) {
      found.push_back({match.score, lines[static_cast<size_t>(match.number)], match.text});
    }
    const std::string& query = request.queries[q];
    print(request.json ? object_of(query, found, "line") : lines_of(query, found, best.size() == 1));
  }
}

void search_index(const SearchRequest& request) {
  SearchRequest with_queries = request;
  with_queries.words.insert(with_queries.words.begin(), request.queries.begin(), request.queries.end());
  Records records(with_queries.source("similarity"));
  const VectorIndex index(request.index);
  const Embedder embedder(request.folder, request.weights, request.device);
  note_model(embedder.model().trained());
  require_vectors_of(embedder, index);
  const bool single = with_queries.words.size() == 1;
  each_chunk(with_queries, records, [&](std::span<const Record> chunk, const ReadOptions& reading) {
    const Tensor queries = embedder.embed_as("query", texts_of(chunk), reading);
    std::vector<std::string> results;
    if (reading.check_only) return results;
    const std::vector<std::vector<NearRow>> best = index.search(queries, request.top);
    for (size_t i = 0; i < chunk.size(); ++i) {
      const std::vector<Found> found = found_in(index, best[i]);
      results.push_back(request.json ? object_of(chunk[i].text, found, "row")
                                     : lines_of(chunk[i].text, found, single));
    }
    return results;
  });
}

}  // namespace locus::cli
