// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"context"
	"fmt"
	"strconv"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/kubernetes/pkg/controller"

	"github.com/kplan-go/kplan/kube"
	"github.com/kplan-go/kplan/selector"
	"github.com/kplan-go/kplan/selector/claim"
)

// benchSelector returns a selector of one, three or six requirements.
func benchSelector(requirements int) *metav1.LabelSelector {
	s := &metav1.LabelSelector{MatchLabels: map[string]string{"app": "web"}}
	add := func(key string, op metav1.LabelSelectorOperator, values ...string) {
		s.MatchExpressions = append(s.MatchExpressions, metav1.LabelSelectorRequirement{Key: key, Operator: op, Values: values})
	}
	if requirements >= 3 {
		add("tier", metav1.LabelSelectorOpIn, "front", "back")
		add("canary", metav1.LabelSelectorOpDoesNotExist)
	}
	if requirements >= 6 {
		add("app.kubernetes.io/name", metav1.LabelSelectorOpExists)
		add("pod-template-hash", metav1.LabelSelectorOpNotIn, "5d8f7c9b6", "abc")
		s.MatchLabels["region"] = "eu-west-1"
	}
	return s
}

// benchLabels returns n maps of five labels, of which three in four have app=web.
func benchLabels(n int) []map[string]string {
	list := make([]map[string]string, n)
	for i := range list {
		list[i] = map[string]string{
			"app": "web", "tier": "front", "app.kubernetes.io/name": "web", "pod-template-hash": "h" + strconv.Itoa(i%10), "region": "eu-west-1",
		}
		if i%4 == 3 {
			list[i]["app"] = "db"
		}
	}
	return list
}

var matched int // keeps the results

// BenchmarkMatch matches n maps of labels. The floor makes only the necessary lookups in each map:
// one for the first requirement, and if that matches one for each of the others.
func BenchmarkMatch(b *testing.B) {
	keys := []string{"app", "tier", "canary", "app.kubernetes.io/name", "pod-template-hash", "region"}
	for _, n := range []int{100, 10_000, 1_000_000} {
		maps := benchLabels(n)
		for _, requirements := range []int{1, 3, 6} {
			axis := fmt.Sprintf("/requirements=%d/maps=%d", requirements, n)
			theirs := must(metav1.LabelSelectorAsSelector(benchSelector(requirements)))
			ours := must(selector.FromLabelSelector(kube.LabelSelector(benchSelector(requirements))))
			measure(b, "upstream", axis, func() {
				for _, m := range maps {
					if theirs.Matches(labels.Set(m)) {
						matched++
					}
				}
			})
			measure(b, "kplan", axis, func() {
				for _, m := range maps {
					if ours.Matches(m) {
						matched++
					}
				}
			})
			measure(b, "floor", axis, func() {
				n := 0
				for _, m := range maps {
					if value, ok := m["app"]; !ok || value != "web" {
						continue
					}
					n++
					for _, key := range keys[1:requirements] {
						if _, ok := m[key]; ok {
							n++
						}
					}
				}
				matched = n
			})
		}
	}
}

func BenchmarkCompile(b *testing.B) {
	for _, requirements := range []int{1, 3, 6} {
		axis := fmt.Sprintf("/requirements=%d", requirements)
		s := benchSelector(requirements)
		ls := kube.LabelSelector(s)
		measure(b, "upstream", axis, func() { must(metav1.LabelSelectorAsSelector(s)) })
		measure(b, "kplan", axis, func() { must(selector.FromLabelSelector(ls)) })
		measure(b, "kplan+kube", axis, func() { must(selector.FromLabelSelector(kube.LabelSelector(s))) })
	}
}

func BenchmarkParse(b *testing.B) {
	const text = "app=web,tier in (front,back),!canary"
	measure(b, "upstream", "", func() { must(labels.Parse(text)) })
	measure(b, "kplan", "", func() { must(selector.Parse(text)) })
}

// BenchmarkClaim decides about n pods of which half belong to the owner, and nothing has
// to be written. The floor compares the UID of each controller and looks up one label.
func BenchmarkClaim(b *testing.B) {
	const text = "app=web,tier in (x),!canary"
	theirs := must(labels.Parse(text))
	owner := claim.Owner{Kind: "ReplicaSet", Namespace: "ns", Name: "web-a", UID: "a", Selector: must(selector.Parse(text))}
	rs := &appsv1.ReplicaSet{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "web-a", UID: "a"}}
	kind := appsv1.SchemeGroupVersion.WithKind("ReplicaSet")
	for _, n := range []int{100, 10_000, 100_000} {
		axis := fmt.Sprintf("/pods=%d", n)
		pods, children := clusterPods(n), make([]claim.Child, n)
		for i, p := range pods {
			if i%2 == 1 {
				p.OwnerReferences[0].UID = "b"
			}
			o := p.OwnerReferences[0]
			children[i] = claim.Child{
				Namespace: p.Namespace, Name: p.Name, Labels: p.Labels, ControllerKind: o.Kind, ControllerName: o.Name, ControllerUID: string(o.UID),
			}
		}
		child := func(i int) claim.Child { return children[i] }
		measure(b, "upstream", axis, func() {
			m := controller.NewPodControllerRefManager(&answering{}, rs, theirs, kind, func(context.Context) error { return nil })
			must(m.ClaimPods(silent, pods))
		})
		measure(b, "kplan", axis, func() { claim.Classify(&owner, n, child) })
		measure(b, "floor", axis, func() {
			for i := range children {
				if children[i].ControllerUID == "a" && children[i].Labels["app"] == "web" {
					matched++
				}
			}
		})
	}
}
