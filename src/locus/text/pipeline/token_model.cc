#include "locus/text/pipeline/token_model.h"

#include "locus/base/error.h"

namespace locus {

std::unique_ptr<TokenModel> read_token_model(const JsonPart& part, bool as_bytes) {
  // Older files have no type.
  const std::string type = part.text("type", part.has("merges") ? "BPE" : "WordPiece");
  if (type == "BPE") return read_bpe(part, as_bytes);
  require(!as_bytes, "{}: '{}' has type {} after ByteLevel, expected BPE", part.json().where(), part.place(),
          type);
  if (type == "WordPiece") return read_wordpiece(part);
  if (type == "Unigram") return read_unigram(part);
  part.refuse_type("model", {"BPE", "Unigram", "WordPiece"});
}

}  // namespace locus
