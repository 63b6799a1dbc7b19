#!/bin/sh
# locus.sh FOLDER CASE
exec "$LOCUS" embed "$1/model" --file "$1/sentences.txt"
