#!/bin/sh
# beside.sh FOLDER: sets up the adapter of corpus/adapters in FOLDER, whose program reads archives with the word `npz`.
cd "$1" && exec sh set_up.sh
