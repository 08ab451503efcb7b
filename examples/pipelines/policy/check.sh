#!/bin/sh
# Judges a saved plan, or its JSON, by the policies beside this file:
#
#   policy/check.sh tfplan
#   TF=tofu policy/check.sh tfplan
#
# Exits with 0 only if it judged the plan and found nothing against it.
case $1 in
*.json) show="cat" ;;
*) show="${TF:-terraform} show -json" ;;
esac
# The output of the CLI contains secrets in plain text: do not write it into a file.
verdict=$($show "$1" | opa eval --stdin-input --format raw --data "$(dirname "$0")" data.main.verdict)
[ "$verdict" = passes ] && exit
printf '%s\n' "${verdict:-The plan was not judged.}" >&2
exit 1
