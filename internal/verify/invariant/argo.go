// SPDX-License-Identifier: Apache-2.0

package invariant

import (
	"slices"
	"time"

	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/argo"
	"github.com/kplan-go/kplan/rollout/argo/reason"
)

// sizesOf returns the sizes of the ReplicaSets after some actions, by hash.
func sizesOf(s *argo.Snapshot, actions []argo.Action) map[string]int64 {
	sizes := map[string]int64{}
	for i := range s.Sets {
		sizes[s.Sets[i].Hash] = int64(s.Sets[i].Replicas)
	}
	for _, a := range actions {
		switch a := a.(type) {
		case argo.CreateReplicaSet:
			sizes[a.Hash] = int64(a.Replicas)
		case argo.ScaleReplicaSet:
			sizes[a.Hash] = int64(a.To)
		}
	}
	return sizes
}

func argoSet(s *argo.Snapshot, hash string) *argo.ReplicaSet {
	i := slices.IndexFunc(s.Sets, func(rs argo.ReplicaSet) bool { return rs.Hash == hash })
	if i < 0 {
		return &argo.ReplicaSet{Hash: hash}
	}
	return &s.Sets[i]
}

// argoScope checks that a plan names only existing objects, or ReplicaSets that it has created
// before.
func argoScope(p *ArgoPass) []string {
	s, l := &p.Snapshot, list(nil)
	known := map[string]bool{}
	for i := range s.Sets {
		known[s.Sets[i].Hash] = true
	}
	services := []*argo.Service{s.Active, s.Preview, s.StableService, s.CanaryService, s.Ping, s.Pong}
	for _, a := range p.Plan.Actions {
		switch a := a.(type) {
		case argo.CreateReplicaSet:
			l.addIf(a.Hash != s.Rollout.TemplateHash, "%v: the template is %q", a, s.Rollout.TemplateHash)
			known[a.Hash] = true
		case argo.ScaleReplicaSet:
			l.addIf(!known[a.Hash], "%v: no ReplicaSet of hash %q", a, a.Hash)
		case argo.DelayReplicaSet:
			l.addIf(!known[a.Hash], "%v: no ReplicaSet of hash %q", a, a.Hash)
		case argo.EvictPod:
			l.addIf(!slices.ContainsFunc(s.Pods, func(pod argo.Pod) bool { return pod.Name == a.Name }), "%v: no such pod", a)
		case argo.SelectPods:
			l.addIf(!slices.ContainsFunc(services, func(o *argo.Service) bool { return o != nil && o.Name == a.Service }), "%v: no such Service", a)
		}
	}
	return l
}

// argoExplained checks the holds of a plan. TestPropertySteady of rollout/argo checks that an empty
// plan has one.
func argoExplained(p *ArgoPass) []string {
	l := list(reasons(p.Plan.Actions))
	for _, h := range p.Plan.Holds {
		switch h.Reason {
		case "":
			l.add("a hold has no reason")
		case reason.Pause:
			l.addIf(h.Have > h.Limit, "%v: it is over", h)
		}
	}
	return l
}

// argoWithin returns how a canary without traffic routing exceeds the surge. A canary with traffic
// routing and a blue-green update keep both templates at full size, and a negative maxUnavailable,
// which the API refuses, sets no limit.
func argoWithin(p *ArgoPass, after *argo.Snapshot, slack int64) []string {
	r := &p.Snapshot.Rollout
	if r.BlueGreen != nil || r.Routing != nil || r.MaxUnavailable.IsNegative() {
		return nil
	}
	replicas, before, wanted := orOne(r.Replicas), int64(0), int64(0)
	for _, n := range sizesOf(&p.Snapshot, nil) {
		before += n
	}
	for _, n := range sizesOf(after, nil) {
		wanted += n
	}
	surge := orDefault(r.MaxSurge, rollout.Percent(25))
	most := max(replicas+max(0, amount(surge, replicas, true)), before) + slack
	return one(wanted > most, "%d pods wanted, at most max(%d+%v, %d)+%d", wanted, replicas, surge.String(), before, slack)
}

func argoSurge(p *ArgoPass) []string {
	after := p.Snapshot
	after.Sets = nil
	for hash, n := range sizesOf(&p.Snapshot, p.Plan.Actions) {
		after.Sets = append(after.Sets, argo.ReplicaSet{Hash: hash, Size: argo.Size{Replicas: int32(n)}})
	}
	return argoWithin(p, &after, 0)
}

// argoTraffic checks passes that send more requests to a template. An abort sends them back, as far
// as stable pods can serve them.
func argoTraffic(p *ArgoPass) []string {
	s, l := &p.Snapshot, list(nil)
	for _, a := range p.Plan.Actions {
		switch a := a.(type) {
		case argo.SetWeight:
			before := int32(0)
			if w := s.Rollout.Status.Weights; w != nil && w.Canary.Hash == a.Canary.Hash {
				before = w.Canary.Weight
			}
			l.addIf(a.Canary.Weight > before && !s.Rollout.Status.Abort && argoSet(s, a.Canary.Hash).AvailableReplicas <= 0 && a.Canary.Hash != s.Rollout.Status.StableRS,
				"%d%% of the requests instead of %d%%, and no pod of %s is available", a.Canary.Weight, before, a.Canary.Hash)
		case argo.SelectPods:
			active := s.Active != nil && a.Service == s.Active.Name && s.Active.Selector[argo.HashLabel] != ""
			set := argoSet(s, a.Value)
			l.addIf(active && set.AvailableReplicas <= 0 && orOne(s.Rollout.Replicas) > 0 && a.Value == s.Rollout.TemplateHash,
				"%v: no pod of it is available", a)
		}
	}
	return l
}

// An argoStep holds the steps of a canary at the start and the end of a pass.
type argoStep struct {
	step          *argo.Step
	before, after int32
	steps         int32
	paused        time.Time // begin of the pause
}

// argoStepOf returns the step of a pass, unless something other than the step decides: a new
// template or new steps, a promotion, an abort, a rollback window, or no stable pods.
func argoStepOf(p *ArgoPass) (c argoStep, ok bool) {
	r := &p.Snapshot.Rollout
	status, next := &r.Status, &p.Plan.Status
	same := r.TemplateHash == status.CurrentPodHash && (r.StepHash == "" || status.CurrentStepHash == "" || r.StepHash == status.CurrentStepHash)
	plain := r.BlueGreen == nil && same && !status.PromoteFull && !status.Abort && !next.Abort && r.RollbackWindow <= 0 && status.StableRS == next.StableRS &&
		status.StableRS != status.CurrentPodHash
	if !plain || status.CurrentStepIndex == nil || next.CurrentStepIndex == nil || argoSet(&p.Snapshot, status.StableRS).Replicas == 0 && status.StableRS == "" {
		return c, false
	}
	c = argoStep{before: *status.CurrentStepIndex, after: *next.CurrentStepIndex, steps: int32(len(r.Steps))}
	if c.before < 0 || c.before >= c.steps {
		return c, false
	}
	c.step = &r.Steps[c.before]
	for _, pause := range status.PauseConditions {
		if pause.Reason == argo.PauseStep {
			c.paused = pause.StartTime
		}
	}
	return c, true
}

func argoStepsInOrder(p *ArgoPass) []string {
	c, ok := argoStepOf(p)
	return one(ok && c.after != c.before && c.after != c.before+1, "step %d follows step %d", c.after, c.before)
}

func argoManualPause(p *ArgoPass) []string {
	c, ok := argoStepOf(p)
	waits := ok && c.step.Pause != nil && c.step.Pause.Duration == nil && !c.paused.IsZero()
	return one(waits && c.after != c.before, "step %d waits for a person, and step %d follows", c.before, c.after)
}

func argoTimedPause(p *ArgoPass) []string {
	c, ok := argoStepOf(p)
	if !ok || c.step.Pause == nil || c.step.Pause.Duration == nil || c.paused.IsZero() {
		return nil
	}
	due := c.paused.Add(time.Duration(*c.step.Pause.Duration) * time.Second)
	return one(c.after != c.before && !p.Now.After(due), "the pause of step %d ends at %v, and is due behind %v", c.before, p.Now, due)
}

// argoRestarts checks passes with a new template.
func argoRestarts(p *ArgoPass) []string {
	r, next := &p.Snapshot.Rollout, &p.Plan.Status
	if r.BlueGreen != nil || len(r.Steps) == 0 || r.TemplateHash == r.Status.CurrentPodHash || r.Status.CurrentPodHash == "" || r.TemplateHash == r.Status.StableRS || r.RollbackWindow > 0 ||
		next.CurrentPodHash != r.TemplateHash || next.StableRS != r.Status.StableRS || next.CurrentStepIndex == nil {
		return nil
	}
	return one(*next.CurrentStepIndex != 0, "the template is %q instead of %q, and step %d goes on", r.TemplateHash, r.Status.CurrentPodHash, *next.CurrentStepIndex)
}

// argoEnds checks passes in which a template becomes the stable one.
func argoEnds(p *ArgoPass) []string {
	r, stable := &p.Snapshot.Rollout, p.Plan.Status.StableRS
	if stable == r.Status.StableRS || !slices.ContainsFunc(p.Snapshot.Sets, func(rs argo.ReplicaSet) bool { return rs.Hash == r.Status.StableRS }) || r.ProgressThreshold != nil {
		return nil
	}
	if active := p.Snapshot.Active; r.BlueGreen != nil && (active == nil || active.Selector[argo.HashLabel] != r.Status.StableRS) {
		return nil // the old template serves no requests
	}
	set := argoSet(&p.Snapshot, stable)
	return one(int64(set.AvailableReplicas) < orOne(r.Replicas), "%s is the stable one with %d of %d pods available", stable, set.AvailableReplicas, orOne(r.Replicas))
}
