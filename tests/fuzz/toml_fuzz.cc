// Any bytes as the configuration of a run: throws an Error, or the settings and the fields of every section
// read back from what they write.
// Seeds: *.toml
#include <cstdint>
#include <cstdlib>

#include "locus/base/error.h"
#include "locus/run/run_folder.h"
#include "locus/run/run_settings.h"
#include "locus/train/trainer.h"

namespace {

using locus::Settings;

// The fields of a struct that a section sets read back from their text.
template <class T>
void check_section(const locus::OptionValues& section) {
  T read, again;
  if (!locus::read_fields(read, section).empty()) return;
  const locus::OptionValues values = locus::field_values(read);
  if (!locus::read_fields(again, values).empty() || locus::field_values(again) != values) std::abort();
}

void check(const Settings& settings) {
  const Settings again = Settings::parse(settings.toml(), "again");
  if (!locus::differences(settings, again).empty()) std::abort();
  check_section<locus::TrainSettings>(settings.section("train"));
  check_section<locus::DataSettings>(settings.section("data"));
  check_section<locus::RunState>(settings.section(""));
  if (!locus::problems(locus::task_of(settings).blueprint).empty()) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  try {
    check(Settings::parse({reinterpret_cast<const char*>(data), size}, "fuzz.toml"));
  } catch (const locus::Error&) {
  }
  return 0;
}
