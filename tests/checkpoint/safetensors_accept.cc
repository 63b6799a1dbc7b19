// Prints for each file named on standard input, one per line, whether Locus accepts it as safetensors:
// "accept", or "reject" and the reason. tools/parity_safetensors.py compares this with the reference reader
// of the format.
#include <iostream>
#include <string>

#include "locus/base/error.h"
#include "locus/checkpoint/safetensors.h"

int main() {
  for (std::string path; std::getline(std::cin, path);) {
    try {
      const locus::SafetensorsFile file(path);
      std::cout << "accept\n";
    } catch (const locus::Error& error) {
      std::cout << "reject " << error.what() << '\n';
    }
  }
}
