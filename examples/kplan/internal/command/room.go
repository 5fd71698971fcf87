// SPDX-License-Identifier: Apache-2.0

package command

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/examples/kplan/internal/manifest"
	"github.com/kplan-go/kplan/examples/kplan/internal/refusal"
	"github.com/kplan-go/kplan/examples/kplan/internal/view"
	"github.com/kplan-go/kplan/examples/kplan/internal/world"
	"github.com/kplan-go/kplan/kube"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/selector"
)

// nodeNotes returns notes about nodes that take no new pod of a Deployment, and the reason.
func nodeNotes(w *manifest.Workload) []string {
	return barred(w.Nodes, "no new pod", func(n **corev1.Node) string { return barrier(*n, &w.Deployment.Spec.Template.Spec) })
}

// barred returns a note about nodes that take no pods, with the reasons.
func barred[N any](nodes []N, what string, why func(*N) string) []string {
	var reasons []string
	counts, out := map[string]int{}, 0
	for i := range nodes {
		if reason := why(&nodes[i]); reason != "" {
			if out++; counts[reason] == 0 {
				reasons = append(reasons, reason)
			}
			counts[reason]++
		}
	}
	if out == 0 {
		return nil
	}
	for i, reason := range reasons {
		if len(reasons) > 1 {
			reasons[i] = fmt.Sprintf("%s (%d)", reason, counts[reason])
		}
	}
	return []string{fmt.Sprintf("%d of %d nodes take %s: %s", out, len(nodes), what, view.Folded(reasons))}
}

// barrier returns the reason why a node takes no pod, except for lack of room, or "".
func barrier(n *corev1.Node, p *corev1.PodSpec) string {
	if n.Spec.Unschedulable {
		return "cordoned"
	}
	for _, taint := range kube.Node(n).Taints {
		hard := taint.Effect == daemonset.NoSchedule || taint.Effect == daemonset.NoExecute
		if hard && !slices.ContainsFunc(kube.Tolerations(p.Tolerations), func(t daemonset.Toleration) bool { return t.Tolerates(taint) }) {
			return view.Barrier(daemonset.Placement{Reason: daemonset.ReasonTaintNoSchedule, Taint: taint})
		}
	}
	for _, key := range slices.Sorted(maps.Keys(p.NodeSelector)) {
		if value, has := n.Labels[key]; !has || value != p.NodeSelector[key] {
			return view.Barrier(daemonset.Placement{Reason: daemonset.ReasonNodeSelector, Key: key})
		}
	}
	var required *selector.NodeSelector
	if a := p.Affinity; a != nil && a.NodeAffinity != nil {
		required = kube.NodeSelector(a.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution)
	}
	if ok, err := selector.NewNodeAffinity(nil, required).Match(n.Name, n.Labels); !ok || err != nil {
		return view.Barrier(daemonset.Placement{Reason: daemonset.ReasonAffinity})
	}
	return ""
}

// roomNote returns a note about the room that nodes of the input have for pods of a Deployment.
func roomNote(w, seen *manifest.Workload) string {
	switch {
	case hasRoom(w.Nodes):
		return roomLeft
	case len(seen.Pods)+len(w.Shared().Nodes) > 0:
		return "nodes have room for all pods"
	}
	return ""
}

const roomLeft = "nodes have the room that the pods in the input leave"

// hasRoom reports whether any node has allocatable resources.
func hasRoom(nodes []*corev1.Node) bool {
	return slices.ContainsFunc(nodes, func(n *corev1.Node) bool { return len(n.Status.Allocatable) > 0 })
}

// counted are the resources that limit the room of nodes.
var counted = []corev1.ResourceName{corev1.ResourceCPU, corev1.ResourceMemory, corev1.ResourcePods}

// requests returns the requests of a pod for the counted resources.
func requests(p *corev1.PodSpec) []int64 { return kube.PodRequests(p, counted) }

// running returns the number of pods that have not ended.
func running(pods []*corev1.Pod) (n int) {
	for _, p := range pods {
		if pod := kube.Pod(p); !pod.Finished() {
			n++
		}
	}
	return n
}

// exceeded matches the message of admission for a pod above a quota of pods.
var exceeded = regexp.MustCompile(`exceeded quota: ([^,]+),.*used: pods=(\d+), limited: pods=(\d+)`)

// refuse makes creations fail that have failed before, according to the conditions of
// ReplicaSets: because of a quota outside the input, or of another admission. The rollout wants
// at most so many pods. If a quota in the input allows fewer, the answer about the rollout says
// so, and refuse returns no note.
func refuse(b *world.Beginning, w, seen *manifest.Workload, most int32) (notes []string) {
	running := b.Running()
	if n, name := w.PodQuota(running); name != "" {
		if n < int(most) {
			return nil
		}
		return []string{fmt.Sprintf("the quota %s stays: %s", name, podsText(n))}
	}
	for _, rs := range seen.Controlled() {
		for _, c := range rs.Status.Conditions {
			if c.Type != appsv1.ReplicaSetReplicaFailure || c.Status != corev1.ConditionTrue {
				continue
			}
			if m := exceeded.FindStringSubmatch(c.Message); m != nil {
				used, _ := strconv.Atoi(m[2]) // digits, as the pattern has matched
				limit, _ := strconv.Atoi(m[3])
				b.LimitPods(m[1], limit-max(0, used-b.RunningInNamespace()))
				return []string{fmt.Sprintf("the quota %s stays: %s", m[1], podsText(max(0, limit-max(0, used-running))))}
			}
			if c.Reason != "FailedCreate" {
				continue
			}
			if quota := quotaIn.FindStringSubmatch(c.Message); quota != nil {
				b.LimitPods(quota[1], b.RunningInNamespace())
			} else {
				_, why, _ := strings.Cut(c.Message, " is forbidden: ")
				b.Refuse(string(rs.UID), cmp.Or(why, c.Message))
			}
			notes = append(notes, noMore(c.Message))
		}
	}
	return notes
}

// quotaIn matches the message of admission for a pod above a quota of another resource.
var quotaIn = regexp.MustCompile(`exceeded quota: ([^,]+),`)

// noMore returns the note that creations fail, with the message of the admission that refuses
// them.
func noMore(message string) string {
	const text = "no more pods are made than there are, as creations fail"
	if r, ok := refusal.Of(message); ok {
		return fmt.Sprintf("%s, in the words of %s: %q", text, r.By, message)
	}
	return fmt.Sprintf("%s: %q", text, message)
}

// rationed lists the resources besides pods that quotas count, in the order of [rations].
var rationed = [][]corev1.ResourceName{
	{corev1.ResourceCPU, corev1.ResourceRequestsCPU}, {corev1.ResourceMemory, corev1.ResourceRequestsMemory},
	{corev1.ResourceLimitsCPU}, {corev1.ResourceLimitsMemory},
}

// rations returns the amount of each rationed resource that a pod takes. A limit without a
// request is also the request.
func rations(p *corev1.PodSpec) []int64 {
	requests := kube.PodRequests(asking(p, func(r corev1.ResourceRequirements) corev1.ResourceList {
		list := corev1.ResourceList{}
		maps.Copy(list, r.Limits)
		maps.Copy(list, r.Requests)
		return list
	}), counted[:2])
	limits := kube.PodRequests(asking(p, func(r corev1.ResourceRequirements) corev1.ResourceList { return r.Limits }), counted[:2])
	return slices.Concat(requests, limits)
}

// asking returns a copy of a pod with other requests.
func asking(p *corev1.PodSpec, of func(corev1.ResourceRequirements) corev1.ResourceList) *corev1.PodSpec {
	other := *p
	other.InitContainers, other.Containers = slices.Clone(p.InitContainers), slices.Clone(p.Containers)
	for _, list := range [][]corev1.Container{other.InitContainers, other.Containers} {
		for i := range list {
			list[i].Resources.Requests = of(list[i].Resources)
		}
	}
	if p.Resources != nil {
		own := *p.Resources
		own.Requests = of(own)
		other.Resources = &own
	}
	return &other
}

// shortages returns notes about the quotas of the input, and the resources that are too scarce
// for most pods of a Deployment at the same time. The current pods of the Deployment do not count
// as usage of others.
func shortages(b *world.Beginning, w, seen *manifest.Workload, most int32) (notes []string, short []manifest.Shortage) {
	template, refused := w.Ranged(&w.Deployment.Spec.Template.Spec)
	if refused != "" {
		notes = append(notes, refused)
	}
	own := make([]int64, len(rationed))
	for _, p := range seen.Pods {
		if pod := kube.Pod(p); !pod.Finished() {
			for i, n := range rations(&p.Spec) {
				own[i] += n
			}
		}
	}
	if len(seen.Pods) == 0 { // the files have no pods
		for i, n := range rations(&seen.Deployment.Spec.Template.Spec) {
			own[i] = n * int64(b.Running())
		}
	}
	next := rations(template)
	for i, names := range rationed {
		hard, name := w.ResourceQuota(names, own[i])
		if name == "" {
			continue
		}
		if unset := unsetIn(template, i); unset != "" {
			notes = append(notes, fmt.Sprintf("ResourceQuota %s counts %s, which container %s does not set: creations fail", name, names[len(names)-1], unset))
		}
		if n := next[i]; n > 0 && hard/n < int64(most) {
			short = append(short, manifest.Shortage{Quota: name, Resource: string(names[len(names)-1]), Pods: int(hard / n)})
		}
	}
	return notes, short
}

// unsetIn returns a container that does not set a resource that quotas count, or "".
func unsetIn(p *corev1.PodSpec, i int) string {
	name := counted[i%2]
	for _, c := range slices.Concat(p.InitContainers, p.Containers) {
		_, limited := c.Resources.Limits[name]
		_, requested := c.Resources.Requests[name]
		if !limited && (i >= 2 || !requested) {
			return strings.TrimSpace(c.Name)
		}
	}
	return ""
}

// An oldTemplate is another template that pods may have been created from.
type oldTemplate struct {
	name string // of the revision or ReplicaSet
	hash string
	spec *corev1.PodSpec
}

// The strangers are pods with another image than the current template.
type strangers struct {
	pods  []*corev1.Pod
	image string      // of the first pod
	of    oldTemplate // template with all images of that pod, if any
}

// strangersOf returns the pods with another image than a template. It compares only containers in
// both: admission and sidecar injection add containers.
func strangersOf(pods []*corev1.Pod, template *corev1.PodSpec, others []oldTemplate) (s strangers) {
	for _, p := range pods {
		image := otherImage(p, template)
		if image == "" {
			continue
		}
		if s.pods = append(s.pods, p); len(s.pods) > 1 {
			continue
		}
		s.image = image
		at := slices.IndexFunc(others, func(o oldTemplate) bool { return otherImage(p, o.spec) == "" })
		if at >= 0 {
			s.of = others[at]
		}
	}
	return s
}

// otherImage returns the first image of a pod that differs from the template, or "".
func otherImage(p *corev1.Pod, template *corev1.PodSpec) string {
	for _, lists := range [][2][]corev1.Container{{p.Spec.InitContainers, template.InitContainers}, {p.Spec.Containers, template.Containers}} {
		for _, c := range lists[0] {
			for _, wanted := range lists[1] {
				if c.Name == wanted.Name && c.Image != wanted.Image {
					return c.Image
				}
			}
		}
	}
	return ""
}

// newestOf returns the ReplicaSet of the current template, or nil.
func newestOf(w *manifest.Workload) *appsv1.ReplicaSet {
	history, entries := w.History()
	if newest, _ := revision.Split(entries, history.Template); newest >= 0 {
		return w.Controlled()[newest]
	}
	return nil
}
