// SPDX-License-Identifier: Apache-2.0

package argo_test

import (
	"reflect"
	"testing"

	"github.com/kplan-go/kplan/internal/random"
	"github.com/kplan-go/kplan/rollout/argo"
)

// setOf returns the ReplicaSet of a hash, an empty one if there is none.
func setOf(s *argo.Snapshot, hash string) argo.ReplicaSet {
	for _, set := range s.Sets {
		if set.Hash == hash {
			return set
		}
	}
	return argo.ReplicaSet{}
}

// anyOther reports whether a ReplicaSet in between meets a condition.
func anyOther(s *argo.Snapshot, is func(argo.ReplicaSet) bool) bool {
	for _, set := range s.Sets {
		if set.Hash != s.Rollout.TemplateHash && set.Hash != s.Rollout.Status.StableRS && set.Replicas > 0 && is(set) {
			return true
		}
	}
	return false
}

// shows are what has to be true of a snapshot and of its default plan if a quirk is there
// to be repaired.
var shows = map[string]func(s *argo.Snapshot, p *argo.Plan) bool{
	"AbortLeavesRequests": func(s *argo.Snapshot, _ *argo.Plan) bool {
		o := &s.Rollout
		fresh := setOf(s, o.TemplateHash).AvailableReplicas
		return o.Status.Abort && o.Routing != nil && o.Routing.DynamicStableScale && o.Routing.MinPodsPerReplicaSet != nil && fresh > 0 &&
			fresh <= *o.Routing.MinPodsPerReplicaSet && setOf(s, o.Status.StableRS).AvailableReplicas >= *o.Replicas
	},
	"StableGoesBeforeRequests": func(s *argo.Snapshot, p *argo.Plan) bool {
		was, next := s.Rollout.Status.Weights, p.Status.Weights
		return s.Rollout.Routing != nil && s.Rollout.Routing.DynamicStableScale && next != nil && (was == nil || next.Stable.Weight > was.Stable.Weight)
	},
	"NoPodServesRest": func(s *argo.Snapshot, p *argo.Plan) bool {
		for _, h := range p.Holds {
			if h.Reason == argo.ReasonStableNotReady {
				return true // it says how many have to be available
			}
		}
		w, stable := p.Status.Weights, setOf(s, s.Rollout.Status.StableRS).AvailableReplicas
		return w != nil && int64(w.Stable.Weight)*int64(*s.Rollout.Replicas) > 100*int64(stable)
	},
	"RoutesLost": func(s *argo.Snapshot, _ *argo.Plan) bool {
		st, now, so := s.Rollout.Status, false, false
		for i, step := range s.Rollout.Steps {
			routed := len(step.Routes) > 0
			now, so = now || routed && int32(i) == *st.CurrentStepIndex, so || routed && int32(i) <= *st.CurrentStepIndex
		}
		led := st.StableRS != st.CurrentPodHash && !st.Abort && !st.PromoteFull && setOf(s, s.Rollout.TemplateHash).AvailableReplicas > 0
		return now || so && led
	},
	"StepBehindTheEnd": func(s *argo.Snapshot, p *argo.Plan) bool {
		return p.Status.CurrentStepIndex != nil && int(*p.Status.CurrentStepIndex) > len(s.Rollout.Steps)
	},
	"OvercountedKeepsOthers": func(s *argo.Snapshot, _ *argo.Plan) bool {
		return anyOther(s, func(set argo.ReplicaSet) bool { return set.AvailableReplicas > set.Replicas })
	},
	"PauseBeginsWhilePodsGo": func(s *argo.Snapshot, p *argo.Plan) bool {
		return anyOther(s, func(set argo.ReplicaSet) bool { return set.AvailableReplicas < set.Replicas }) && len(p.Status.PauseConditions) == 1
	},
	"PausedTwice": func(_ *argo.Snapshot, p *argo.Plan) bool { return len(p.Status.PauseConditions) == 2 },
	"ZeroDelayKeepsForEver": func(s *argo.Snapshot, _ *argo.Plan) bool {
		b, r := s.Rollout.BlueGreen, s.Rollout.Routing
		zero := b != nil && b.ScaleDownDelaySeconds != nil && *b.ScaleDownDelaySeconds == 0 ||
			r != nil && r.ScaleDownDelaySeconds != nil && *r.ScaleDownDelaySeconds == 0
		return zero && anyOther(s, func(set argo.ReplicaSet) bool { return set.ScaleDownAt.IsZero() })
	},
}

// TestPropertyQuirks: where no quirk shows, its repair changes nothing.
func TestPropertyQuirks(t *testing.T) {
	seen := map[string]int{}
	random.Check(t, func(t random.T) {
		s := random.Argo(t, random.OneOf(t, "kind", random.Truthful, random.Truthful, random.Midway, random.Midway))
		kept, err := reconcile(s, now)
		if err != nil {
			t.Fatal(err)
		}
		for i, q := range argo.QuirkTable() {
			repaired, err := argo.Reconcile(s, now, argo.Options{Repair: 1 << i})
			if err != nil {
				t.Fatal(err)
			}
			if reflect.DeepEqual(kept, repaired) {
				continue
			}
			seen[q.Name]++
			if !shows[q.Name](&s, &kept) {
				t.Fatalf("%s does not show, and its repair changes the plan:\n%s\n%+v\nnow\n%s\n%+v", q.Name, kept, kept.Status, repaired, repaired.Status)
			}
		}
	})
	t.Log(seen)
}
