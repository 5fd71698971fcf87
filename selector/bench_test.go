// SPDX-License-Identifier: Apache-2.0

package selector_test

import (
	"fmt"
	"testing"

	"github.com/kplan-go/kplan/selector"
	"github.com/kplan-go/kplan/selector/algebra"
)

// benchSelector returns a selector with 1, 3 or 6 requirements that three of four
// benchLabels satisfy.
func benchSelector(requirements int) *selector.LabelSelector {
	ls := selector.FromLabels(map[string]string{"app": "web"})
	if requirements >= 3 {
		ls.MatchExpressions = append(ls.MatchExpressions,
			expression("tier", selector.In, "front", "back"), expression("canary", selector.DoesNotExist))
	}
	if requirements >= 6 {
		ls.MatchLabels["region"] = "eu-west-1"
		ls.MatchExpressions = append(ls.MatchExpressions,
			expression("app.kubernetes.io/name", selector.Exists), expression("pod-template-hash", selector.NotIn, "5d8f7c9b6", "abc"))
	}
	return ls
}

func benchLabels(n int) []map[string]string {
	list := make([]map[string]string, n)
	for i := range list {
		list[i] = map[string]string{
			"app": "web", "tier": "front", "app.kubernetes.io/name": "web", "pod-template-hash": fmt.Sprint("h", i%10), "region": "eu-west-1",
		}
		if i%4 == 3 {
			list[i]["app"] = "db"
		}
	}
	return list
}

// BenchmarkMatches stands beside its floor: one look-up for each requirement that
// Matches has to look at, in the same maps.
func BenchmarkMatches(b *testing.B) {
	for _, n := range []int{100, 10_000, 1_000_000} {
		list := benchLabels(n)
		for _, k := range []int{1, 3, 6} {
			s := compile(b, benchSelector(k))
			keys := make([]string, 0, k)
			for _, r := range s.Requirements() {
				keys = append(keys, r.Key())
			}
			perMap := func(b *testing.B, found int) {
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/map")
				if found == 0 {
					b.Error("nothing found")
				}
			}
			b.Run(fmt.Sprintf("maps=%d/requirements=%d/matches", n, k), func(b *testing.B) {
				b.ReportAllocs()
				found := 0
				for b.Loop() {
					for _, labels := range list {
						found += count(s.Matches(labels))
					}
				}
				perMap(b, found)
			})
			b.Run(fmt.Sprintf("maps=%d/requirements=%d/floor", n, k), func(b *testing.B) {
				found := 0
				for b.Loop() {
					for _, labels := range list {
						for j, key := range keys {
							value, ok := labels[key]
							found += count(ok)
							if j == 0 && value == "db" {
								break
							}
						}
					}
				}
				perMap(b, found)
			})
		}
	}
}

func BenchmarkFromLabelSelector(b *testing.B) {
	for _, k := range []int{1, 3, 6} {
		ls := benchSelector(k)
		b.Run(fmt.Sprintf("requirements=%d", k), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := selector.FromLabelSelector(ls); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkParse(b *testing.B) {
	for _, k := range []int{1, 3, 6} {
		text := compile(b, benchSelector(k)).String()
		b.Run(fmt.Sprintf("requirements=%d", k), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := selector.Parse(text); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkOverlap(b *testing.B) {
	for _, k := range []int{1, 3, 6} {
		s, other := compile(b, benchSelector(k)), parse(b, "app in (web,db),tier notin (back)")
		b.Run(fmt.Sprintf("requirements=%d", k), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if algebra.Disjoint(s, other) {
					b.Fatal("disjoint")
				}
			}
		})
	}
}

func count(b bool) int {
	if b {
		return 1
	}
	return 0
}
