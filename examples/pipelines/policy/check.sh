#!/bin/sh
# Judges a saved plan, or the JSON of one, by the policies beside this file:
#
#   policy/check.sh tfplan
#   TF=tofu policy/check.sh tfplan
#
# Only a plan that was judged and has nothing against it ends with 0.
case $1 in
*.json) show="cat" ;;
*) show="${TF:-terraform} show -json" ;;
esac
# What the CLI shows has secrets in clear, so it goes into no file.
verdict=$($show "$1" | opa eval --stdin-input --format raw --data "$(dirname "$0")" data.main.verdict)
[ "$verdict" = passes ] && exit
printf '%s\n' "${verdict:-The plan was not judged.}" >&2
exit 1
