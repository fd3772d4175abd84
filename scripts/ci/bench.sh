#!/bin/sh
# scripts/ci/bench.sh: one benchmark in CI, and all that CI shows of it. Any POSIX shell runs it; it needs the program hone, which HONE names where it is not in PATH.
#   --suite FILE | --model FILE   what is measured (docs/ci.md)
#   --baseline WHAT               what it is compared with: another build of hone, a folder of packages, a package, a model
#   --fail-on-regression SHARE    such as 3%: exit with 1 where something is surely slower by more
#   --device SELECTOR             on which devices
#   --out FOLDER                  for report.json, report.md, report.html, junit.xml and bmf.json (hone_report)
#   --from REPORT                 measures nothing: takes this report.json, and with --fail-on-regression exits with 1 where it says that something is
#                                 surely slower by more than was permitted when it was measured
#   -- OPTIONS                    more options of hone bench
# On GitHub it adds report.md to the job's summary and prints annotations.
# Exit codes: 0 nothing is slower by more than permitted, 1 something is, or could not be measured, 2 wrong usage, others as hone's.
set -eu

usage() {
  printf 'bench.sh: %s; the first lines of %s say what it takes\n' "$1" "$0" >&2
  exit 2
}

hone=${HONE:-hone}
source='' what='' baseline='' threshold='' device='' out=hone_report from=''
while [ $# -gt 0 ]; do
  case $1 in
    --suite | --model | --baseline | --fail-on-regression | --device | --out | --from)
      if [ $# -lt 2 ] || [ -z "$2" ]; then usage "$1 needs a value"; fi ;;
  esac
  case $1 in
    --suite | --model) [ -z "$what" ] || usage 'give one of --suite and --model'; source=$1 what=$2; shift 2 ;;
    --baseline) baseline=$2; shift 2 ;;
    --fail-on-regression) threshold=$2; shift 2 ;;
    --device) device=$2; shift 2 ;;
    --out) out=$2; shift 2 ;;
    --from) from=$2; shift 2 ;;
    --) shift; break ;;
    *) usage "there is no option $1" ;;
  esac
done
if [ -n "$from" ] && [ -n "$what" ]; then usage 'give --from, or what to measure'; fi
if [ -z "$from" ] && [ -z "$what" ]; then usage 'give --suite or --model, or --from a report'; fi
if [ -n "$threshold" ] && [ -z "$baseline" ] && [ -z "$from" ]; then usage '--fail-on-regression compares with something: name it with --baseline'; fi

mkdir -p "$out"
report=$out/report.json
status=0
if [ -n "$from" ]; then
  cp "$from" "$report.new"   # it may be the same file
  mv "$report.new" "$report"
else
  rm -f "$report"   # an older one is not what this run found
  if [ "$source" = --suite ]; then set -- --suite "$what" "$@"; else set -- "$what" "$@"; fi
  [ -z "$baseline" ] || set -- "$@" --baseline "$baseline"
  [ -z "$threshold" ] || set -- "$@" --fail-on-regression "$threshold"
  [ -z "$device" ] || set -- "$@" --device "$device"
  "$hone" bench "$@" --report "json=$report" || status=$?
  [ -f "$report" ] || exit "$status"   # hone has said why
fi

"$hone" report "$report" --format markdown --out "$out/report.md"
"$hone" report "$report" --format html --out "$out/report.html"
"$hone" report "$report" --format junit --out "$out/junit.xml"
"$hone" report "$report" --format bmf --out "$out/bmf.json"
[ -z "${GITHUB_ACTIONS:-}" ] || "$hone" report "$report" --format github
[ -z "${GITHUB_STEP_SUMMARY:-}" ] || cat "$out/report.md" >>"$GITHUB_STEP_SUMMARY"
if [ -n "$from" ] && [ -n "$threshold" ]; then
  "$hone" report "$report" --format markdown --fail-on-regression >/dev/null || status=$?
fi
exit "$status"
