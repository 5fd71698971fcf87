// SPDX-License-Identifier: Apache-2.0

package smallscope

import (
	"slices"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/rollout/kruise"
	"github.com/kplan-go/kplan/rollout/partition"
	"github.com/kplan-go/kplan/rollout/traffic"
	"github.com/kplan-go/kplan/rollout/workload"
	"github.com/kplan-go/kplan/rollout/workload/quirk"
)

// Breaches checks the bounds of the Deployment, and the pods behind the traffic.
func (r *Rollouts) Breaches(s rolloutState) (list []Breach) {
	total, ready := s.pods.all(), int8(0)
	for _, p := range s.pods {
		if p.ready {
			ready++
		}
	}
	if total > s.most+r.Surge {
		list = append(list, breach(PropertySurge, "%d pods of %d and %d more", total, s.most, r.Surge))
	}
	unavailable := r.Unavailable
	if r.Surge == 0 && unavailable == 0 {
		unavailable = 1
	}
	if least := s.least - unavailable - (r.Losses - s.losses); ready < least {
		property := PropertyAvailable
		if s.shared {
			property = PropertyShared
		}
		list = append(list, breach(property, "%d pods available of at least %d", ready, least))
	}
	return append(list, r.selected(&s)...)
}

// selected checks that each Service with traffic selects pods.
func (r *Rollouts) selected(s *rolloutState) (list []Breach) {
	t := r.objects.traffic.at(s.traffic)
	if t == nil {
		return nil
	}
	pods := func(service *traffic.Service) (n int8) {
		hash := service.Selector[workload.LabelPodTemplateHash]
		for i := range int8(3) {
			if hash == "" || hash == templateOf(i).Hash {
				n += s.pods.of(i)
			}
		}
		return n
	}
	if pods(t.Stable) == 0 {
		list = append(list, breach(PropertyTraffic, "the stable Service selects no pod: %v", t.Stable.Selector))
	}
	if weight := weightOf(t.Route); weight > 0 && (t.Canary == nil || pods(t.Canary) == 0) {
		list = append(list, breach(PropertyTraffic, "%d%% of the traffic are led to no pod", weight))
	}
	return list
}

// weightOf returns the weight of the canary Service in the route.
func weightOf(route *traffic.Route) (weight int32) {
	for _, rule := range route.Rules {
		for _, ref := range rule.BackendRefs {
			if ref.Name == "web-canary" && ref.Weight != nil {
				weight = max(weight, *ref.Weight)
			}
		}
	}
	return weight
}

// ahead checks that a pass of the Deployment updates no more pods than the steps reached so
// far ask for, unless it goes back to the stable template. If admission pauses the Deployment
// in the middle of a rolling update, its controller shares the rest of the surge out among the
// existing sets, including the new one, which no planner of a Rollout can prevent.
func (r *Rollouts) ahead(from, to *rolloutState) []Breach {
	w := r.objects.workload.list[from.workload]
	template := int8(w.Template.ID[0] - 'a')
	before, after := from.pods.of(template), to.pods.of(template)
	stable := w.Labels[workload.LabelStableRevision]
	if after <= before || stable == "" || stable == w.Template.Hash || from.shared {
		return nil
	}
	limit, shared := int32(0), int32(0)
	if from.reached > 0 {
		limit = partition.Limit(r.Steps[from.reached-1].Replicas, *w.Replicas)
	}
	if w.Paused && w.StrategyType == string(deploy.RollingUpdate) && before > 0 {
		shared = int32(before) + *w.Replicas + int32(r.Surge) - int32(from.pods.all())
	}
	if int32(after) > max(limit, int32(from.before), shared) {
		return []Breach{breach(PropertyStep, "%d pods are updated, and step %d asks for %d of %d", after, from.reached, limit, *w.Replicas)}
	}
	return nil
}

// written checks a write of a controller: that no partition is lowered while the same
// BatchRelease drives the rollout, that nothing ends the pause of a step that needs an
// approval, and that no release is over before all pods are updated and the Deployment is
// given back.
func (r *Rollouts) written(from, to *rolloutState, who int) (list []Breach) {
	if from.workload != to.workload {
		a, b := r.objects.workload.list[from.workload], r.objects.workload.list[to.workload]
		if a.Annotations[partition.AnnotationControlInfo] == b.Annotations[partition.AnnotationControlInfo] {
			was, errA := partition.ParseStrategy(a.Annotations[partition.AnnotationStrategy])
			is, errB := partition.ParseStrategy(b.Annotations[partition.AnnotationStrategy])
			n := *a.Replicas
			if a.Annotations[partition.AnnotationStrategy] != "" && b.Annotations[partition.AnnotationStrategy] != "" && errA == nil && errB == nil &&
				partition.Limit(is.Partition, n) < partition.Limit(was.Partition, n) {
				list = append(list, breach(PropertyBatch, "the partition is lowered from %v to %v", was.Partition, is.Partition))
			}
		}
	}
	if who != 0 || from.rollout == to.rollout {
		return list
	}
	a, b := &r.objects.rollout.list[from.rollout].Status, &r.objects.rollout.list[to.rollout].Status
	x, y := a.Sub, b.Sub
	if x != nil && y != nil && x.Revision == y.Revision && x.CurrentStepState == kruise.StatePaused && y.CurrentStepState == kruise.StateReady && x.CurrentStepIndex == y.CurrentStepIndex {
		if r.Steps[x.CurrentStepIndex-1].Pause.Duration == nil && !(int(x.CurrentStepIndex) == len(r.Steps) && !r.Options.Repair.Has(quirk.LastPauseSkipped)) {
			list = append(list, breach(PropertyApproval, "step %d waits for a person, and goes on", x.CurrentStepIndex))
		}
	}
	if w := r.objects.workload.list[to.workload]; a.Phase == kruise.PhaseProgressing && b.Phase == kruise.PhaseHealthy && w.Annotations[workload.AnnotationInProgress] == "" {
		for _, what := range r.left(to) {
			list = append(list, breach(PropertyOver, "the release is over, and %s", what))
		}
		if n := to.pods.of(int8(w.Template.ID[0] - 'a')); succeeded(b) && int32(n) != *w.Replicas {
			list = append(list, breach(PropertyOver, "the release has succeeded, and not all pods are updated"))
		}
	}
	return list
}

// succeeded reports whether a release was not cancelled, after which it need not wait for
// pods.
func succeeded(s *kruise.Status) bool {
	return slices.ContainsFunc(s.Conditions, func(c kplan.Condition) bool { return c.Type == workload.ConditionSucceeded && c.Status == "True" })
}

// updated reports whether all pods are of the current template, and ready.
func (r *Rollouts) updated(s *rolloutState) bool {
	w := r.objects.workload.list[s.workload]
	wanted, n := w.Template.ID[0]-'a', int8(*w.Replicas)
	counts := s.pods.counts()
	return counts[wanted] == [2]int8{n, n} && counts[0][0]+counts[1][0]+counts[2][0] == n
}

// left returns the traces that a release has left in the cluster.
func (r *Rollouts) left(s *rolloutState) (left []string) {
	w := r.objects.workload.list[s.workload]
	note := func(is bool, what string) {
		if is {
			left = append(left, what)
		}
	}
	note(s.release != 0, "there is a BatchRelease")
	note(w.Paused, "the Deployment is paused")
	for _, key := range []string{workload.AnnotationInProgress, partition.AnnotationStrategy, partition.AnnotationExtraStatus, partition.AnnotationControlInfo} {
		note(w.Annotations[key] != "", "annotation "+key+" is left")
	}
	note(w.Labels[workload.LabelStableRevision] != "", "the label of the stable revision is left")
	if t := r.objects.traffic.at(s.traffic); t != nil {
		note(t.Canary != nil, "there is a canary Service")
		note(weightOf(t.Route) > 0 || slices.ContainsFunc(t.Route.Rules, func(rule traffic.Rule) bool { return len(rule.BackendRefs) != 1 }), "the route leads to it")
		note(t.Stable.Selector[workload.LabelPodTemplateHash] != "", "the stable Service is pinned")
	}
	return left
}
