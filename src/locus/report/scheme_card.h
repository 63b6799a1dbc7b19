// What a study's page shows of one scheme: what it does to scores, where its trained model looks, and what
// becomes of a word that occurs twice.
#pragma once

#include <filesystem>

#include "locus/report/study_page.h"

namespace locus::report {

// A word that stands in it twice means two things.
inline constexpr std::string_view kSentence =
    "The dog chased the ball, but it could not catch it even after running the whole field round and round.";

SchemeCard scheme_card(const study::Study& study, const std::filesystem::path& folder,
                       const SchemeInfo& info);

}  // namespace locus::report
