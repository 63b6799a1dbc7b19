#!/usr/bin/env python3
"""Extracts the King James Bible as plain text: tools/fetch_kjv.py URL SHA256 FOLDER

URL is the Debian package bible-kjv-text. Its file bible.data is the text in blocks of 64 KB, each compressed by compress(1):

    at 0x54, big-endian   u32 block size, u32 number n of blocks, (n + 1) x u32 offsets; the last is the end of the file
    before each offset    3 bytes, for the first block the header that compress writes

Writes kjv.train.txt, and kjv.test.txt with the last book. A verse is a line, without its number; chapters are separated by empty lines.
Needs no root and no package besides Python, gzip and tar. The text was published in 1611 (public domain outside the United Kingdom).
"""
import hashlib
import io
import pathlib
import re
import struct
import subprocess
import sys
import tarfile
import urllib.request

HELD_OUT = "Rev"  # Revelation


def member_of_ar(archive, name):
    """A file of a Debian package, which is an ar archive: headers of 60 bytes, contents at even offsets."""
    at = len(b"!<arch>\n")
    while at < len(archive):
        header, size = archive[at:at + 60], int(archive[at + 48:at + 58])
        if header[:16].decode().strip().rstrip("/").startswith(name):
            return archive[at + 60:at + 60 + size]
        at += 60 + size + size % 2
    raise ValueError(f"the package has no {name}")


def text_of(data):
    count = struct.unpack_from(">I", data, 0x58)[0]
    offsets = struct.unpack_from(f">{count + 1}I", data, 0x5C)
    blocks = []
    for i, (begin, end) in enumerate(zip(offsets, offsets[1:])):
        end -= 3 if i + 1 < count else 0
        gzip = subprocess.run(["gzip", "-dc"], input=b"\x1f\x9d\x90" + data[begin:end], stdout=subprocess.PIPE, check=True)
        blocks.append(gzip.stdout)
    return b"".join(blocks).decode("ascii")


def main():
    url, sha256, folder = sys.argv[1:]
    with urllib.request.urlopen(url, timeout=60) as answer:
        package = answer.read()
    if hashlib.sha256(package).hexdigest() != sha256:
        sys.exit(f"{url}: SHA-256 is {hashlib.sha256(package).hexdigest()}, expected {sha256}")
    with tarfile.open(fileobj=io.BytesIO(member_of_ar(package, "data.tar"))) as files:
        data = files.extractfile("./usr/lib/bible.data").read()
    parts, chapter = {"train": [], "test": []}, None
    for line in text_of(data).splitlines():
        verse = re.fullmatch(r"(\d?[A-Za-z]+)(\d+):\d* (.*)", line)
        if not verse:  # the title
            continue
        book, number, words = verse.groups()
        lines = parts["test" if book == HELD_OUT else "train"]
        if lines and (book, number) != chapter:
            lines.append("")
        chapter = (book, number)
        lines.append(words)
    for name, lines in parts.items():
        (pathlib.Path(folder) / f"kjv.{name}.txt").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
