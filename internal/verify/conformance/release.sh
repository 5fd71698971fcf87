#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Compares with the controllers of one release of Kubernetes: the same sources, with the
# modules of that release.
#
#   ./release.sh 1.35                     all comparisons
#   ./release.sh 1.35 -run TestDaemonSets some: what follows is passed to go test
#   ./release.sh record 1.35              all, and releases/1.35.json if nothing fails; test
#                                         by test, and begun again where it was stopped
#   ./release.sh table                    the table of the README, from these records
#
# KPLAN_CASES and the like say how many cases, see README.md.
set -euo pipefail
cd "$(dirname "$0")"

if [ "${1-}" = table ]; then
	KPLAN_TABLE=write exec go test -count=1 -run TestTable ./releases
fi
record=
if [ "${1-}" = record ]; then
	record=1
	shift
fi
minor=${1-}
newest=$(sed -nE 's#^require k8s.io/kubernetes v([0-9.]+)$#\1#p' go.mod)
case $minor in
1.34) patch=1.34.4 ;;
1.35) patch=1.35.4 ;;
1.36) patch=1.36.3 ;;
"${newest%.*}") patch=$newest ;;
*)
	echo "usage: $0 [record] 1.34|1.35|1.36|${newest%.*} [arguments of go test], or $0 table" >&2
	exit 2
	;;
esac
shift

flags=(-vet=off)
if [ "$patch" != "$newest" ]; then
	# What go.mod requires of others is too new for an older release: only what is imported
	# directly stays, and go finds what that needs.
	dir=${TMPDIR:-/tmp}/kplan-conformance-$UID
	mkdir -p "$dir"
	mod=$dir/$patch.mod
	rm -f "$mod" "$dir/$patch.sum"
	sed -E "s#^(require k8s.io/kubernetes) .*#\1 v$patch#
		s#^(\s*k8s.io/[a-z-]+) v0\.${newest#1.}#\1 v0.${patch#1.}#
		/^\s*k8s.io\/utils /d
		/^\s*k8s.io\/[a-z-]+ v0\.${patch#1.}/b
		/\/\/ indirect/d" go.mod >"$mod"
	flags+=(-mod=mod "-modfile=$mod" "-tags=kube$minor")
fi
# The workspace of this folder takes no other go.mod.
export GOWORK=off
if [ -z "$record" ]; then
	exec go test -timeout 0 "${flags[@]}" "$@" .
fi

# Each test leaves its part of the record in a folder, which is named after what is compared.
sizes=${KPLAN_CASES-}-${KPLAN_SYNCS-}-${KPLAN_DAEMONS-}-${KPLAN_CARRIED-}-${KPLAN_CHAINS-}
KPLAN_COMMIT=$(git describe --always --abbrev=8 --dirty --exclude='*')
if [[ $KPLAN_COMMIT == *-dirty ]]; then
	echo "$0: a record names a commit: commit first" >&2
	exit 1
fi
export KPLAN_COMMIT KPLAN_RELEASE=$patch KPLAN_SEED=${KPLAN_SEED-1}
parts=${TMPDIR:-/tmp}/kplan-conformance-$UID/$patch-$KPLAN_COMMIT-$KPLAN_SEED-$sizes
mkdir -p "$parts"
[ -x "$parts/tests" ] || go test -c "${flags[@]}" -o "$parts/tests" .
names() { # the tests, and of the one that compares functions each function
	"$parts/tests" -test.list '^Test' | grep -vx TestFunctions
	KPLAN_CASES=1 "$parts/tests" -test.v -test.run '^TestFunctions$' | sed -n 's/^=== RUN *//p' | grep /
}
for name in $(names); do
	part=$parts/${name//\//-}
	[ ! -f "$part.json" ] || continue
	echo "$name"
	KPLAN_RECORD=$part.part "$parts/tests" -test.timeout 0 -test.run "^\\Q${name//\//\\E\$/^\\Q}\\E\$" "$@" >"$part.log" || { cat "$part.log"; exit 1; }
	mv "$part.part" "$part.json"
done
KPLAN_PARTS=$parts KPLAN_RECORD=$PWD/releases/$minor.json go test -count=1 -run TestRecord ./releases
rm -r "$parts"
