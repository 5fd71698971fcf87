// SPDX-License-Identifier: Apache-2.0

package command

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kplan-go/kplan/examples/kplan/internal/manifest"
	"github.com/kplan-go/kplan/internal/sim"
	"github.com/kplan-go/kplan/kube"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/revision"
)

// stuckAfter is how long a pod may not be ready without any known reason until it is
// believed to stay so.
const stuckAfter = 5 * time.Minute

// starting are the reasons of pods that are on their way.
var starting = []string{"ContainerCreating", "PodInitializing", "ContainersNotReady", "NotReady", "NotScheduled", "ReadinessGatesNotReady", "Terminating"}

// A belief is what a simulation takes from pods as they are: which of them, and of the new
// ones, do not become ready or find no node. Templates are named by a text of their own.
type belief struct {
	stuck         map[string]string // pods, by UID, and their templates: in place they get others
	gated         map[string]bool   // pods, by UID
	broken, homes map[string]bool   // templates whose new pods are stuck, or find no node
	crowded       []string          // pods for which nodes have no room, by UID
	notes         []string
}

const noneReady = "new pods of a template of which no pod is ready do not become ready either"

// believe looks at the pods of some owners.
func believe(pods []*corev1.Pod, template func(*corev1.Pod) string, now time.Time) *belief {
	b := &belief{stuck: map[string]string{}, gated: map[string]bool{}, broken: map[string]bool{}, homes: map[string]bool{}}
	ready := map[string]bool{}
	for _, p := range pods {
		if kube.Pod(p).Ready {
			ready[template(p)] = true
		}
	}
	counts, rests := map[string]int{}, map[string]int{}
	for _, p := range pods {
		pod := kube.Pod(p)
		problem := manifest.ProblemOf(p)
		switch {
		case pod.Ready || !pod.Active():
			continue
		case p.Spec.NodeName == "" && problem.Reason != "NotScheduled":
			b.noNode(p, template(p), problem, counts)
			continue
		case !slices.Contains(starting, problem.Reason):
			counts[problem.Reason]++
		case manifest.CrashOf(p) != "":
			counts[problem.Reason+" after "+manifest.CrashOf(p)]++
		case now.Sub(unreadySince(p)) > stuckAfter:
			counts[problem.Reason+" for more than 5 minutes"]++
		default:
			rests[problem.Reason]++
			continue
		}
		b.stuck[string(p.UID)] = template(p)
		if !ready[template(p)] {
			b.broken[template(p)] = true
		}
	}
	for _, reason := range slices.Sorted(maps.Keys(counts)) {
		b.notes = append(b.notes, fmt.Sprintf("%s in %s %s so", podsText(counts[reason]), reason, verb(counts[reason], "stays", "stay")))
	}
	if len(b.broken) > 0 {
		b.notes = append(b.notes, noneReady)
	}
	for _, reason := range slices.Sorted(maps.Keys(rests)) {
		b.notes = append(b.notes, fmt.Sprintf("%s in %s %s ready", podsText(rests[reason]), reason, verb(rests[reason], "becomes", "become")))
	}
	return b
}

// noNode notes a pod that finds no node: for lack of room, or because none is fit for it.
func (b *belief) noNode(p *corev1.Pod, template string, problem manifest.Problem, counts map[string]int) {
	room := problem.Message == "" || strings.Contains(problem.Message, "Insufficient") || strings.Contains(problem.Message, "Too many pods")
	if room && problem.Reason == corev1.PodReasonUnschedulable {
		b.crowded = append(b.crowded, string(p.UID))
		return
	}
	counts[problem.Reason]++
	b.gated[string(p.UID)], b.homes[template] = true, true
}

// unreadySince returns since when a pod is not ready.
func unreadySince(p *corev1.Pod) time.Time {
	since := p.CreationTimestamp.Time
	for _, c := range p.Status.Conditions {
		if c.Type == corev1.PodReady {
			since = later(since, c.LastTransitionTime.Time)
		}
	}
	return since
}

// apply makes a Kubelet do what is believed. Templates have the text that of returns.
func (b *belief) apply(k *sim.Kubelet, of func(revision.Template) string) {
	never, unbound := k.NeverReady, k.Unbound
	if len(b.stuck)+len(b.broken) > 0 {
		k.NeverReady = func(p podorder.Pod, t revision.Template) bool {
			made, stuck := b.stuck[p.UID]
			return stuck && made == of(t) || b.broken[of(t)] || never != nil && never(p, t)
		}
	}
	if len(b.gated)+len(b.homes) > 0 {
		k.Unbound = func(p podorder.Pod, t revision.Template) bool {
			return b.gated[p.UID] || b.homes[of(t)] || unbound != nil && unbound(p, t)
		}
	}
}

func ownerOf(p *corev1.Pod) (uid string) {
	if owner := metav1.GetControllerOfNoCopy(p); owner != nil {
		uid = string(owner.UID)
	}
	return uid
}
