// The texts of --help: "--top N  Number of results per query [10]" instead of CLI11's "--top UINT:INT in [1 -
// 9]=10".
#pragma once

#include <memory>

namespace CLI {
class FormatterBase;
}  // namespace CLI

namespace locus::cli {

std::shared_ptr<CLI::FormatterBase> help_format();

}  // namespace locus::cli
