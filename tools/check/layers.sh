#!/usr/bin/env bash
# Checks the layer line: a folder of src/locus may include itself and folders to its left, none to its right:
# layers.sh ROOT
# python is beside cli: each may include everything but the other.
# The two faces are beside the folders: fast.h and fast.cc may include everything up to scheme, locus.h everything.
set -euo pipefail
cd "$1"
find src/locus -mindepth 1 \( -name '*.cc' -o -name '*.h' -o -name '*.cu' -o -name '*.cuh' \) ! -path src/locus/locus.h | sort | xargs -r awk '
  BEGIN {
    line = "base tensor kernel autograd op scheme nn checkpoint run apply train study report serve cli"
    n = split(line, layer)
    for (i = 1; i <= n; ++i) for (j = 1; j <= i; ++j) allowed[layer[i], layer[j]] = 1
    # Outside of the line: text may include base, dist may include base and tensor. nn and all folders to its right may
    # include both.
    allowed["text", "text"] = allowed["text", "base"] = 1
    allowed["dist", "dist"] = allowed["dist", "base"] = allowed["dist", "tensor"] = 1
    for (i = 7; i <= n; ++i) allowed[layer[i], "text"] = allowed[layer[i], "dist"] = 1
    allowed["cli", "locus.h"] = 1
    # Beside cli: the Python module may include everything but the program.
    for (i = 1; i < n; ++i) allowed["python", layer[i]] = 1
    allowed["python", "python"] = allowed["python", "text"] = allowed["python", "fast.h"] = allowed["python", "locus.h"] = 1
    for (i = 1; i <= 6; ++i) allowed["fast", layer[i]] = 1
    allowed["fast", "fast"] = allowed["fast", "fast.h"] = 1
  }
  function complain(text) { print FILENAME ":" FNR ": " text; found = 1 }
  FNR == 1 {
    split(FILENAME, path, "/")
    from = path[3]
    sub(/\.(h|cc|cu|cuh)$/, "", from)
    if (!((from, from) in allowed)) complain("folder " from " has no place in the layer line")
  }
  /^[ \t]*#[ \t]*include[ \t]*"/ {
    split($0, quoted, "\"")
    if (split(quoted[2], part, "/") < 2 || part[1] ~ /^\./) complain("\"" quoted[2] "\": write the path from src/")
    else if (part[1] == "locus" && !((from, part[2]) in allowed)) complain(from " may not include " quoted[2])
  }
  END { exit found }' >&2
