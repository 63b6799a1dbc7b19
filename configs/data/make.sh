#!/usr/bin/env bash
# Makes the data of the presets, the same bytes every time: configs/data/make.sh [FOLDER]
#
#   reverse.train.tsv, reverse.test.tsv   letters <tab> the same backwards; no line of one is in the other
#   chase.train.tsv, chase.test.tsv       a sentence <tab> who chases whom in it: the words alone do not tell, their
#                                         order does
#   sentences.txt, sentences.test.txt     such sentences, as texts to hide tokens in
set -euo pipefail
folder=${1:-$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")}

awk -v folder="$folder" '
  # Numbers of a generator of its own (Park and Miller 1988): the same from every awk.
  function below(n) { state = state * 16807 % 2147483647; return int(state / 2147483647 * n) }
  function one_of(list,   words, n) { n = split(list, words, " "); return words[below(n) + 1] }

  function string(   text, length_, i) {
    length_ = 4 + below(5)
    text = ""
    for (i = 0; i < length_; ++i) text = text substr("abcdefghij", below(10) + 1, 1)
    return text
  }
  function backwards(text,   result, i) {
    result = ""
    for (i = length(text); i > 0; --i) result = result substr(text, i, 1)
    return result
  }

  function creature(name,   quality) {
    quality = one_of("- old young small black fast")
    return "the " (quality == "-" ? "" : quality " ") name
  }
  # Sets `chaser`.
  function sentence(   other, verb) {
    chaser = one_of("dog cat bird fox")
    do other = one_of("dog cat bird fox"); while (other == chaser)
    verb = one_of("chased followed saw caught heard")
    if (below(2)) return creature(chaser) " " verb " " creature(other)
    if (verb == "saw") verb = "seen"
    return creature(other) " was " verb " by " creature(chaser)
  }

  function fill(file, count,   text) {
    while (count > 0) {
      text = file ~ /reverse/ ? string() : sentence()
      if (text in seen) continue
      seen[text] = 1
      --count
      print text "\t" (file ~ /reverse/ ? backwards(text) : chaser) > (folder "/" file)
    }
  }

  BEGIN {
    state = 20240229
    fill("reverse.train.tsv", 4000)
    fill("reverse.test.tsv", 400)
    fill("chase.train.tsv", 1600)
    fill("chase.test.tsv", 400)
    for (i = 0; i < 1500; ++i) print sentence() "." > (folder "/sentences.txt")
    for (i = 0; i < 200; ++i) print sentence() "." > (folder "/sentences.test.txt")
  }'
