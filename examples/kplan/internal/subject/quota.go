// SPDX-License-Identifier: Apache-2.0

package subject

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

	"github.com/kplan-go/kplan/examples/kplan/internal/manifest"
	"github.com/kplan-go/kplan/examples/kplan/internal/refusal"
	"github.com/kplan-go/kplan/examples/kplan/internal/world"
	"github.com/kplan-go/kplan/kube"
)

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
