// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/kplan-go/kplan/internal/verify/conformance/upstream"
)

func setOf(m map[string]string) labels.Set { return labels.Set(m) }

func surges(p *daemonSetPass) bool {
	r := p.c.DaemonSet.Spec.UpdateStrategy.RollingUpdate
	return r != nil && r.MaxSurge.String() != "0"
}

// anyOf is a corner of the cases in which upstream's outcome has a line with a text.
func anyOf(name, text string, list func(*daemonSetOutcome) []string) corner[*daemonSetPass] {
	return corner[*daemonSetPass]{name, func(p *daemonSetPass) bool {
		return slices.ContainsFunc(list(&p.upstream), func(s string) bool { return strings.Contains(s, text) })
	}}
}

func podsThat(name string, is func(*daemonSetPass, *corev1.Pod) bool) corner[*daemonSetPass] {
	return corner[*daemonSetPass]{name, func(p *daemonSetPass) bool {
		return slices.ContainsFunc(p.c.Pods, func(pod *corev1.Pod) bool { return is(p, pod) })
	}}
}

func deletesOf(o *daemonSetOutcome) []string   { return o.Deletes }
func createsOf(o *daemonSetOutcome) []string   { return o.Creates }
func claimsOf(o *daemonSetOutcome) []string    { return o.Claims }
func revisionsOf(o *daemonSetOutcome) []string { return o.Revisions }
func eventsOf(o *daemonSetOutcome) []string    { return o.Events }

// daemonSetCorners are the corners that whole passes of DaemonSets must have met.
var daemonSetCorners = []corner[*daemonSetPass]{
	{"nothing to do", func(p *daemonSetPass) bool { return len(p.result.Writes) == 0 && p.result.Err == nil }},
	{"no node", func(p *daemonSetPass) bool { return len(p.c.Nodes) == 0 }},
	{"being deleted", func(p *daemonSetPass) bool { return p.c.DaemonSet.DeletionTimestamp != nil }},
	{"OnDelete", func(p *daemonSetPass) bool {
		return p.c.DaemonSet.Spec.UpdateStrategy.Type == appsv1.OnDeleteDaemonSetStrategyType
	}},
	{"surges", surges},
	{"creates", func(p *daemonSetPass) bool { return len(p.upstream.Creates) > 0 }},
	{"creates and deletes", func(p *daemonSetPass) bool { return len(p.upstream.Creates) > 0 && len(p.upstream.Deletes) > 0 }},
	anyOf("replaces an old available pod", "an old available pod, where one should run: true", deletesOf),
	anyOf("removes an old available pod where none should run", "an old available pod, where one should run: false", deletesOf),
	anyOf("surges beside an old available pod", "beside an old available pod", createsOf),
	{"replaces two old available pods", func(p *daemonSetPass) bool {
		d := p.upstream.Deletes
		return len(d) > 1 && strings.HasPrefix(d[0], "an old") && d[0] == d[1]
	}},
	{"deletes a pod by name", func(p *daemonSetPass) bool {
		return slices.ContainsFunc(p.upstream.Deletes, func(s string) bool { return s[0] == 'p' || s[0] == 'q' })
	}},
	anyOf("adopts a pod", "adopt Pod", claimsOf), anyOf("releases a pod", "release Pod", claimsOf),
	anyOf("adopts a revision", "adopt ControllerRevision", claimsOf), anyOf("releases a revision", "release ControllerRevision", claimsOf),
	anyOf("creates a revision", "create ", revisionsOf), anyOf("deletes a revision", "delete ", revisionsOf),
	anyOf("updates a revision", "update ", revisionsOf),
	{"relabels", func(p *daemonSetPass) bool { return len(p.upstream.Relabels) > 0 }},
	{"collision", func(p *daemonSetPass) bool {
		a, b := p.c.DaemonSet.Status.CollisionCount, p.upstream.Status.CollisionCount
		return b != nil && (a == nil || *a != *b)
	}},
	{"revision of the same name and template", func(p *daemonSetPass) bool {
		return p.result.Err == nil && slices.ContainsFunc(p.result.Writes, func(w upstream.Write) bool {
			c, ok := w.(upstream.CreateRevision)
			return ok && c.Err != nil
		})
	}},
	anyOf("event: FailedDaemonPod", "FailedDaemonPod", eventsOf), anyOf("event: SucceededDaemonPod", "SucceededDaemonPod", eventsOf),
	anyOf("event: SelectingAll", "SelectingAll", eventsOf),
	{"failed pod waits", func(p *daemonSetPass) bool {
		return len(p.c.Failures) > 0 && len(p.result.Requeues) > 0 && p.c.DaemonSet.Spec.MinReadySeconds == 0
	}},
	{"misscheduled", func(p *daemonSetPass) bool { return p.upstream.Status.NumberMisscheduled > 0 }},
	{"ready but not available", func(p *daemonSetPass) bool { return p.upstream.Status.NumberAvailable < p.upstream.Status.NumberReady }},
	{"invalid selector", func(p *daemonSetPass) bool {
		_, err := metav1.LabelSelectorAsSelector(p.c.DaemonSet.Spec.Selector)
		return err != nil
	}},
	podsThat("unbound pod", func(_ *daemonSetPass, pod *corev1.Pod) bool {
		return pod.Spec.NodeName == "" && pod.Spec.Affinity != nil
	}),
	podsThat("pod of no node", func(_ *daemonSetPass, pod *corev1.Pod) bool {
		return pod.Spec.NodeName == "" && pod.Spec.Affinity == nil
	}),
	podsThat("pod of a missing node", func(_ *daemonSetPass, pod *corev1.Pod) bool { return pod.Spec.NodeName == "gone" }),
	podsThat("new by generation alone", func(p *daemonSetPass, pod *corev1.Pod) bool {
		generation := p.c.DaemonSet.Annotations[appsv1.DeprecatedTemplateGeneration]
		return generation != "" && pod.Labels["pod-template-generation"] == generation && pod.Labels[appsv1.DefaultDaemonSetUniqueLabelKey] != p.hash
	}),
}
