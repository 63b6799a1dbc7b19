#include "locus/dist/agreement.h"

#include "locus/base/error.h"
#include "locus/base/quote.h"
#include "locus/dist/crew.h"
#include "locus/dist/parts.h"

namespace locus::dist {

void require_agreement(Transport& transport, std::span<const Fact> facts) {
  std::vector<std::string_view> own;
  for (const Fact& fact : facts) own.push_back(fact.value);
  if (transport.rank() == 0) {
    for (int rank = 1; rank < transport.size(); ++rank) send_sized(transport, rank, pack(own));
    return;
  }
  const std::vector<std::byte> bytes = receive_sized(transport, 0);
  const std::vector<std::string_view> first = unpack(bytes, facts.size(), "facts of rank 0");
  for (size_t i = 0; i < facts.size(); ++i) {
    if (own[i] == first[i]) continue;
    const std::string text = fmt::format("{} is {}, and that of rank 0 is {}; expected the same on all ranks",
                                         facts[i].name, quote(own[i]), quote(first[i]));
    transport.abort(text);
    fail(Fault::peer, "rank {}: {}", transport.rank(), text);
  }
}

}  // namespace locus::dist
