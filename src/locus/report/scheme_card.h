// What a study's report shows of one scheme: its effect on scores, the attention of its trained model, and
// what separates two occurrences of a word.
#pragma once

#include <filesystem>

#include "locus/report/study_page.h"

namespace locus::report {

// Its word "it" occurs twice with two meanings.
inline constexpr std::string_view kSentence =
    "The dog chased the ball, but it could not catch it even after running the whole field round and round.";

SchemeCard scheme_card(const study::Study& study, const std::filesystem::path& folder,
                       const study::SchemeChoice& choice);

}  // namespace locus::report
