#!/usr/bin/env bash
# Checks the texts that users read for phrases listed in words.txt: words.sh ROOT
# Reads the main documents and the string literals of the sources (help texts and errors), without comments. Adjacent
# literals count as one text.
set -euo pipefail
phrases=$(dirname "$(readlink -f "$0")")/words.txt
cd "$1"
{
  find README.md CHANGELOG.md CONTRIBUTING.md ARCHITECTURE.md docs -name '*.md' 2>/dev/null || true
  find src/locus bench \( -name '*.cc' -o -name '*.h' \)
} | sort | PHRASES=$phrases perl -e '
  use strict;
  my (@phrases, $found);
  open(my $list, "<", $ENV{PHRASES}) or die "words.sh: cannot read $ENV{PHRASES}\n";
  while (my $line = <$list>) {
    next unless $line =~ /^(?!# )(.*\S) # (.*\S)/;
    my ($regex, $replacement) = ($1, $2);
    $regex =~ s/ /\\s/g if $regex =~ /\(\?</;      # a lookbehind has a fixed length
    $regex =~ s/ /\\s+/g;
    push @phrases, [qr/$regex/i, $replacement];
  }
  my $any = join "|", map { $_->[0] } @phrases;
  $any = qr/$any/;

  # check FILE, TEXT, STARTS: the text consists of pieces; STARTS has the offset and the line of each.
  sub check {
    my ($file, $text, @starts) = @_;
    return unless $text =~ $any;
    for my $phrase (@phrases) {
      while ($text =~ /$phrase->[0]/g) {
        my ($at, $match) = ($-[0], $&);
        my ($piece) = grep { $_->[0] <= $at } reverse @starts;
        my $line = $piece->[1] + (substr($text, $piece->[0], $at - $piece->[0]) =~ tr/\n//);
        $match =~ s/\s+/ /g;
        print STDERR "$file:$line: \"$match\": write $phrase->[1]\n";
        $found = 1;
      }
    }
  }

  while (my $file = <STDIN>) {
    chomp $file;
    open(my $input, "<", $file) or die "words.sh: cannot read $file\n";
    my $source = do { local $/; <$input> } // "";
    if ($file =~ /\.md$/) {
      check($file, $source, [0, 1]);
      next;
    }
    $source =~ s/^[ \t]*#[ \t]*include.*//mg;
    my ($text, @starts) = ("");
    my ($end, $line, $counted) = (0, 1, 0);
    # Comments, digit separators and characters are skipped; $2 is a raw string, $3 a plain one.
    while ($source =~ m{//[^\n]*|/\*.*?\*/|(?<=[0-9])\x27(?=[0-9])|\x27(?:[^\x27\\\n]|\\.)+\x27
                        |R"([^()\s]*)\((.*?)\)\1"|"((?:[^"\\\n]|\\.)*)"}xsg) {
      my ($from, $to, $raw, $literal) = ($-[0], $+[0], defined $2, $2 // $3);
      next unless defined $literal;
      $line += (substr($source, $counted, $from - $counted) =~ tr/\n//);
      $counted = $from;
      if (substr($source, $end, $from - $end) =~ /\S/) {
        check($file, $text, @starts) if @starts;
        ($text, @starts) = ("");
      }
      $literal =~ s/\\n/ \x20/g unless $raw;
      push @starts, [length $text, $line];
      $text .= $literal;
      $end = $to;
    }
    check($file, $text, @starts) if @starts;
  }
  exit($found ? 1 : 0);'
