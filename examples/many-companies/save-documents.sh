#!/bin/sh
# Writes the documents of the month into a directory, after
# `terraform apply -var documents=true`. TF=tofu for OpenTofu.
set -eu
dir=${1:?usage: save-documents.sh DIRECTORY}
mkdir -p "$dir"
"${TF:-terraform}" output -raw documents | while read -r name content; do
  printf %s "$content" | base64 -d >"$dir/$name"
done
