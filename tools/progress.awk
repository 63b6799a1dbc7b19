# Summarizes ninja's output. On a terminal, the build steps appear in one changing line; otherwise one line reports the
# finished build. After a failure it prints the compiler's messages without its command line, and not more than a
# screenful: the first errors are the ones to read.
BEGIN { most = 25 }

/^\[[0-9]+\/[0-9]+\] / {
  if (/(Building|Linking)/) ++steps  # not the search for new files, which runs in every build
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
  if (shown > most) print "... " shown - most " more lines in " log_file
  if (steps > 0 && !failed) print "run: built, " steps " steps"
}
