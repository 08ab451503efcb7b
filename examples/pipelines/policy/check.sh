#!/bin/sh
# Judges a saved plan, or its JSON, by the policies beside this file. Needs opa
# (https://www.openpolicyagent.org/docs/#running-opa).
#
#   policy/check.sh tfplan
#   TF=tofu policy/check.sh tfplan
#
# Exits with 0 only if it judged the plan and found nothing against it.
if ! command -v opa >/dev/null; then
  echo 'opa is not installed: https://www.openpolicyagent.org/docs/#running-opa' >&2
  exit 1
fi
case $1 in
*.json) show="cat" ;;
*) show="${TF:-terraform} show -json" ;;
esac
# The output of the CLI contains secrets in plain text: do not write it into a file.
verdict=$($show "$1" | opa eval --stdin-input --format raw --data "$(dirname "$0")" data.main.verdict)
case $verdict in
"passes: "*) printf '%s %s\n' "$1" "$verdict" && exit ;;
esac
printf '%s\n' "${verdict:-The plan was not judged.}" >&2
exit 1
