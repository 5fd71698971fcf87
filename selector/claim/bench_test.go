// SPDX-License-Identifier: Apache-2.0

package claim_test

import (
	"fmt"
	"testing"

	"github.com/kplan-go/kplan/selector/claim"
)

// BenchmarkClassify claims pods of which one in 50 is an orphan, one in 50 is to
// be released, and one in two belongs to others.
func BenchmarkClassify(b *testing.B) {
	for _, n := range []int{10, 100, 1000, 10_000, 100_000, 1_000_000} {
		o := claim.Owner{Kind: "ReplicaSet", Namespace: "ns", Name: "rs", UID: "uid-1", Selector: parse(b, "app=web,hash=1,tier in (x,y)")}
		children := make([]claim.Child, n)
		for i, labels := range benchLabels(n) {
			labels["app"] = "web"
			children[i] = claim.Child{Namespace: "ns", Name: fmt.Sprint("pod-", i), UID: fmt.Sprint("uid-", i), Labels: labels, ControllerKind: "ReplicaSet", ControllerName: "rs", ControllerUID: "uid-1"}
			switch {
			case i%2 == 1:
				children[i].ControllerUID = "uid-2"
			case i%50 == 0:
				children[i].ControllerKind, children[i].ControllerName, children[i].ControllerUID = "", "", ""
			case i%50 == 2:
				labels["app"] = "db"
			}
		}
		b.Run(fmt.Sprintf("children=%d", n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				got := claim.Classify(&o, n, at(children))
				if len(got.Adopt) == 0 {
					b.Fatal("nothing adopted")
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/child")
		})
	}
}

func BenchmarkStrays(b *testing.B) {
	for _, n := range []int{100, 10_000, 100_000} {
		controllers := make([]claim.Controller, n/100)
		for i := range controllers {
			controllers[i].Owner = claim.Owner{Kind: "ReplicaSet", Namespace: "ns", Name: fmt.Sprint("rs", i), UID: fmt.Sprint("u", i), Selector: parse(b, fmt.Sprintf("app=web,hash=%d", i))}
		}
		children := make([]claim.Child, n)
		for i := range children {
			children[i] = claim.Child{Namespace: "ns", Labels: map[string]string{"app": "web", "hash": fmt.Sprint(i % (2 * len(controllers)))}}
		}
		b.Run(fmt.Sprintf("children=%d,controllers=%d", n, len(controllers)), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				claim.UnmanagedChildren(controllers, n, at(children))
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/child")
		})
	}
}

// benchLabels are those of n pods of the ReplicaSet.
func benchLabels(n int) []map[string]string {
	list := make([]map[string]string, n)
	for i := range list {
		list[i] = map[string]string{"app": "web", "hash": "1", "tier": "x", "pod": fmt.Sprint(i)}
	}
	return list
}
