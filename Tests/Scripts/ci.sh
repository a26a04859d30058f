#!/bin/sh
# What a job of continuous integration runs: a spec is linted, does what it expects, and is tried on dumps of customers.
# usage: ci.sh VESTIGE SPEC FOLDER DUMP ...
# The folder gets result.tap, and junit.xml for the server; the exit code is that of vestige specs test, 5 where the spec fails.
set -eu
vestige=$1
spec=$2
folder=$3
shift 3
"$vestige" specs lint "$spec"
"$vestige" specs test "$spec" "$@" --junit "$folder/junit.xml" > "$folder/result.tap"
