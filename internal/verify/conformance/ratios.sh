#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Runs the benchmarks against the controllers of one release of Kubernetes, and prints how
# many times the processor time of ours upstream takes, and how many times the bytes and
# allocations; where a floor is measured, how many times it ours take; and how that grows
# with the size.
#
#   ./ratios.sh                    all of them, against the newest release
#   ./ratios.sh Victims            one
#   RELEASE=1.36 ./ratios.sh       against another, see release.sh
#   BENCHTIME=1s COUNT=6 ./ratios.sh
#   ./ratios.sh -f bench.out       the table of an earlier run
#
# Processor time is that of the whole process, its collection of garbage included; other
# programs on the machine hardly change it. The raw output stays in bench.out for benchstat.
set -euo pipefail
cd "$(dirname "$0")"
release=${RELEASE:-$(sed -nE 's#^require k8s.io/kubernetes v([0-9]+\.[0-9]+)\..*$#\1#p' go.mod)}
if [ "${1-}" = -f ]; then
	input=$2
else
	input=bench.out
	./release.sh "$release" -run '^$' -bench "${1:-.}" -benchtime "${BENCHTIME:-0.2s}" -count "${COUNT:-3}" | tee bench.out >&2
fi
echo "Kubernetes $release, $(go env GOVERSION), processor time, best of ${COUNT:-3}"
awk '
	/^Benchmark/ {
		name = $1; sub(/-[0-9]+$/, "", name)
		match(name, /impl=[^\/]*/); impl = substr(name, RSTART + 5, RLENGTH - 5)
		sub(/\/impl=[^\/]*/, "", name); sub(/^Benchmark/, "", name)
		if (!(name in seen)) { seen[name] = 1; order[++n] = name }
		key = name SUBSEP impl
		# the fastest of the repetitions: whatever else runs can only slow them down
		for (i = 3; i < NF; i += 2) {
			if (!((key, $(i+1)) in best) || $i < best[key, $(i+1)]) best[key, $(i+1)] = $i
		}
	}
	function get(name, impl, unit) { return best[name SUBSEP impl, unit] }
	# how many times as long as the least that any implementation has to do
	function floor(name, of,   a, b) {
		a = get(name, "kplan" of, "cpu-ns/op"); b = get(name, "floor" of, "cpu-ns/op")
		return b == "" ? "-" : sprintf("%.1fx", a / b)
	}
	function ratio(name, impl, unit,   a, b) {
		a = get(name, "upstream", unit); b = get(name, impl, unit)
		if (a == "" || b == "") return "-"
		if (b == 0) return a == 0 ? "1" : "inf"
		return sprintf("%.1f", a / b)
	}
	function shown(x) { return x == "" ? "-" : sprintf("%.1f", x) }
	# what one element more costs, in times of what one costs at the size before
	function growth(name, impl,   size, rest, now, before) {
		if (!match(name, /=[0-9]+$/)) return "-"
		size = substr(name, RSTART + 1) + 0; rest = substr(name, 1, RSTART)
		now = get(name, impl, "cpu-ns/op")
		before = last[rest, impl]
		last[rest, impl] = now / size
		if (now == "" || before == "" || before == 0) return "-"
		return sprintf("%.1f", now / size / before)
	}
	END {
		format = "%-42s %15s %13s %13s %8s %9s %8s %8s %9s %9s %7s\n"
		printf format, "benchmark", "upstream ns", "kplan ns", "with kube ns", "kplan", "with kube", "bytes", "allocs", "of floor", "with kube", "growth"
		for (i = 1; i <= n; i++) {
			name = order[i]
			printf format, name, shown(get(name, "upstream", "cpu-ns/op")), shown(get(name, "kplan", "cpu-ns/op")), shown(get(name, "kplan+kube", "cpu-ns/op")),
				ratio(name, "kplan", "cpu-ns/op") "x", ratio(name, "kplan+kube", "cpu-ns/op") "x", ratio(name, "kplan", "B/op") "x",
				ratio(name, "kplan", "allocs/op") "x", floor(name, ""), floor(name, "+kube"), growth(name, "kplan")
		}
	}
' "$input"
