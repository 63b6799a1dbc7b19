#include "locus/text/text_blocks.h"

#include <algorithm>
#include <string>

#include "locus/base/file.h"
#include "locus/text/word_scanner.h"

namespace locus {

void each_block(const std::filesystem::path& file,
                const std::function<void(std::string_view block, uint64_t done, uint64_t size)>& f,
                size_t block_size) {
  const InputFile input(file);
  std::string text;  // read, but not yet passed to f
  for (uint64_t done = 0; done < input.size();) {
    const size_t kept = text.size();
    // Doubles the text that could not be cut, so that the search for a cut takes linear time in total.
    const uint64_t more = std::min<uint64_t>(std::max(block_size, kept), input.size() - done);
    text.resize(kept + more);
    input.read_at(done, std::as_writable_bytes(std::span(text).subspan(kept)));
    done += more;
    const size_t cut = done == input.size() ? text.size() : last_cut(text);
    if (cut > 0) f(std::string_view(text).substr(0, cut), done, input.size());
    text.erase(0, cut);
  }
}

}  // namespace locus
