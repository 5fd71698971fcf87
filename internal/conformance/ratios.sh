#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Runs the benchmarks and prints how many times as fast, and how many times fewer
# bytes and allocations, ours are than upstream's; and where a floor is measured, how
# many times it ours take.
#
#   ./ratios.sh                  all of them
#   ./ratios.sh Victims          one
#   BENCHTIME=1s COUNT=6 ./ratios.sh
#
# The raw output stays in bench.out for benchstat.
set -euo pipefail
cd "$(dirname "$0")"
go test -vet=off -run '^$' -bench "${1:-.}" -benchtime "${BENCHTIME:-0.2s}" -count "${COUNT:-3}" -timeout 0 . | tee bench.out >&2
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
	# how many times as long as the least that any implementation has to do
	function floor(name,   a, b) {
		a = best[name SUBSEP "kplan", "ns/op"]; b = best[name SUBSEP "floor", "ns/op"]
		return b == "" ? "-" : sprintf("%.1fx", a / b)
	}
	function ratio(name, impl, unit,   a, b) {
		a = best[name SUBSEP "upstream", unit]; b = best[name SUBSEP impl, unit]
		if (a == "" || b == "") return "-"
		if (b == 0) return a == 0 ? "1" : "inf"
		return sprintf("%.1f", a / b)
	}
	END {
		printf "%-42s %14s %14s %10s %10s %8s %8s %9s\n", "benchmark", "upstream ns", "kplan ns", "time", "with kube", "bytes", "allocs", "of floor"
		for (i = 1; i <= n; i++) {
			name = order[i]
			printf "%-42s %14.1f %14.1f %9sx %9sx %7sx %7sx %9s\n", name, best[name SUBSEP "upstream", "ns/op"], best[name SUBSEP "kplan", "ns/op"],
				ratio(name, "kplan", "ns/op"), ratio(name, "kplan+kube", "ns/op"), ratio(name, "kplan", "B/op"), ratio(name, "kplan", "allocs/op"), floor(name)
		}
	}
' bench.out
