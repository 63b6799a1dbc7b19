// The searches of locus similarity: the texts most similar to queries, among texts or in a file of vectors.
#pragma once

#include <string>
#include <vector>

#include "locus/cli/text_chunks.h"

namespace locus::cli {

struct SearchRequest : TextRequest {
  std::vector<std::string> queries;
  std::string index;
  size_t top = 10;
};

void search_texts(const SearchRequest& request);  // the input is the texts
void search_index(const SearchRequest& request);  // the input is the queries

}  // namespace locus::cli
