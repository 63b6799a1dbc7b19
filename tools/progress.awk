# Reads ninja's output. On a terminal the steps are one line that changes; elsewhere one line tells that the
# build is done. Of a failure it shows what the compiler said, not how the compiler was called, and not more
# than a screenful: the first errors are the ones to read.
BEGIN { most = 25 }

/^\[[0-9]+\/[0-9]+\] / {
  if (/(Building|Linking)/) ++steps  # and not the look for new files, which is always taken
  if (terminal) printf "\r\033[K%s", substr($0, 1, 100)
  fflush()
  next
}
/^FAILED: / { clear(); failed = 1; command_follows = 1; print; next }
command_follows { command_follows = 0; next }
/^ninja: (Entering|no work|build stopped)/ || /^-- / { next }
/^ninja: / { failed = 1 }
{
  clear()
  if (++shown <= most) print
}

function clear() { if (terminal) printf "\r\033[K" }

END {
  clear()
  if (shown > most) print "... " shown - most " lines more in " log_file
  if (steps > 0 && !failed) print "run: built, " steps " steps"
}
