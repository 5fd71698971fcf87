// SPDX-License-Identifier: Apache-2.0

package command

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/examples/kplan/internal/manifest"
	"github.com/kplan-go/kplan/examples/kplan/internal/refusal"
	"github.com/kplan-go/kplan/internal/sim"
	"github.com/kplan-go/kplan/kube"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/rollout"
)

// exceeded is what admission says of pods that a quota forbids.
var exceeded = regexp.MustCompile(`exceeded quota: ([^,]+),.*used: pods=(\d+), limited: pods=(\d+)`)

// quotaOf returns how many pods of the Deployment a quota allows, nil for any: one of the
// input, or as far as a ReplicaSet tells that could not make its pods.
// At most so many are wanted: if they are too many, that is told of the rollout.
func quotaOf(w, seen *manifest.Workload, most int32) (*int, []string) {
	if n, name := w.PodQuota(running(seen.Pods)); name != "" {
		if n < int(most) {
			return &n, nil
		}
		return &n, []string{fmt.Sprintf("the quota %s stays: %s", name, podsText(n))}
	}
	for _, rs := range seen.Controlled() {
		for _, c := range rs.Status.Conditions {
			if c.Type != appsv1.ReplicaSetReplicaFailure || c.Status != corev1.ConditionTrue {
				continue
			}
			if m := exceeded.FindStringSubmatch(c.Message); m != nil {
				used, _ := strconv.Atoi(m[2]) // the pattern has matched
				limit, _ := strconv.Atoi(m[3])
				others := max(0, used-running(seen.Pods))
				return new(limit - others), []string{fmt.Sprintf("the quota %s stays: %s", m[1], podsText(max(0, limit-others)))}
			}
			if c.Reason == "FailedCreate" {
				return new(running(seen.Pods)), []string{noMore(c.Message)}
			}
		}
	}
	return nil, nil
}

// noMore says that creations fail, in the words of who refuses them.
func noMore(message string) string {
	const text = "no more pods are made than there are, as creations fail"
	if r, ok := refusal.Of(message); ok {
		return fmt.Sprintf("%s, in the words of %s: %q", text, r.By, message)
	}
	return fmt.Sprintf("%s: %q", text, message)
}

// Resources that quotas count beside pods, in the order of [rations].
var rationed = [][]corev1.ResourceName{
	{corev1.ResourceCPU, corev1.ResourceRequestsCPU}, {corev1.ResourceMemory, corev1.ResourceRequestsMemory},
	{corev1.ResourceLimitsCPU}, {corev1.ResourceLimitsMemory},
}

// rations returns how much a pod takes of these. Of what it limits and does not request it is
// given as much.
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

// asking returns a pod that requests something else.
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

// resourceQuotaOf returns what quotas of the input leave to the pods of a Deployment, which
// may have some already, nil if none counts what they take. What it says is for the user, and of
// which resource too little is left for most pods of the rollout at once.
func resourceQuotaOf(w, seen *manifest.Workload, most int32) (*sim.Quota, []string, []manifest.Shortage) {
	before := &seen.Deployment.Spec.Template // of manifests, which have no ReplicaSets
	template, refused := w.Ranged(&w.Deployment.Spec.Template.Spec)
	needs := map[string][]int64{kube.TemplateID(before): rations(&before.Spec)}
	for _, rs := range seen.ReplicaSets {
		needs[kube.TemplateID(&rs.Spec.Template)] = rations(&rs.Spec.Template.Spec)
	}
	next := rations(template)
	needs[kube.TemplateID(&w.Deployment.Spec.Template)] = next
	own := make([]int64, len(rationed))
	for _, p := range seen.Pods {
		if pod := kube.Pod(p); !pod.Finished() {
			for i, n := range rations(&p.Spec) {
				own[i] += n
			}
		}
	}
	quota := &sim.Quota{Needs: func(t revision.Template) []int64 { return needs[t.ID] }}
	var notes []string
	var short []manifest.Shortage
	bounded, fails := refused != "", refused != ""
	if fails {
		notes = append(notes, refused)
	}
	for i, names := range rationed {
		hard, name := w.ResourceQuota(names, own[i])
		quota.Hard = append(quota.Hard, hard)
		if name == "" {
			continue
		}
		bounded = true
		if unset := unsetIn(template, i); unset != "" {
			notes = append(notes, fmt.Sprintf("ResourceQuota %s counts %s, which container %s does not set: creations fail", name, names[len(names)-1], unset))
			fails = true
		}
		if n := next[i]; n > 0 && hard/n < int64(most) {
			short = append(short, manifest.Shortage{Quota: name, Resource: string(names[len(names)-1]), Pods: int(hard / n)})
		}
	}
	if !bounded {
		return nil, nil, nil
	}
	if fails { // as if they took of what there is nothing
		quota.Hard = append(quota.Hard, 0)
		needs[kube.TemplateID(&w.Deployment.Spec.Template)] = append(next, 1)
	}
	return quota, notes, short
}

// mostOf returns how many pods of a Deployment may be wanted at once.
func mostOf(d *deploy.Deployment) int32 {
	n := int32(1)
	if d.Replicas != nil {
		n = *d.Replicas
	}
	if d.Strategy == deploy.Recreate {
		return n
	}
	return rollout.Resolve(n, d.MaxSurge, d.MaxUnavailable).MaxTotal()
}

// unsetIn returns a container that does not set what quotas count, or "".
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
