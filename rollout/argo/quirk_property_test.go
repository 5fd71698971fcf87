// SPDX-License-Identifier: Apache-2.0

package argo_test

import (
	"reflect"
	"testing"

	"github.com/kplan-go/kplan/internal/base/ptr"
	"github.com/kplan-go/kplan/internal/verify/random"
	"github.com/kplan-go/kplan/rollout/argo"
	"github.com/kplan-go/kplan/rollout/argo/quirk"
	"github.com/kplan-go/kplan/rollout/argo/reason"
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

// planned returns how many pods a ReplicaSet wants after a plan.
func planned(s *argo.Snapshot, p *argo.Plan, hash string) int32 {
	n := setOf(s, hash).Replicas
	for _, a := range p.Actions {
		switch a := a.(type) {
		case argo.CreateReplicaSet:
			if a.Hash == hash {
				n = a.Replicas
			}
		case argo.ScaleReplicaSet:
			if a.Hash == hash {
				n = a.To
			}
		}
	}
	return n
}

// unusual makes of some Rollouts one of 0 replicas, one that has grown, one with a step that
// sets the size of the canary, or one whose Services take turns.
func unusual(t random.T, s *argo.Snapshot) {
	if r := s.Rollout.Routing; r != nil && r.DynamicStableScale && random.OneIn(t, "grown", 3) {
		s.Rollout.Replicas = ptr.To(*s.Rollout.Replicas * 2)
		for i := range s.Sets {
			s.Sets[i].DesiredReplicas = s.Rollout.Replicas
			if s.Sets[i].Hash == s.Rollout.Status.StableRS {
				s.Sets[i].Replicas = *s.Rollout.Replicas // its pods are yet to come
			}
		}
		s.Rollout.Status.Abort = s.Rollout.Status.StableRS != s.Rollout.TemplateHash
	}
	if random.OneIn(t, "no replicas", 5) {
		s.Rollout.Replicas = ptr.To(int32(0))
		for i := range s.Sets {
			s.Sets[i].DesiredReplicas = random.OneOf(t, "scaled for", s.Rollout.Replicas, s.Sets[i].DesiredReplicas)
		}
		if s.Rollout.BlueGreen != nil {
			s.Rollout.BlueGreen.PreviewReplicaCount = random.OneOf(t, "preview", nil, ptr.To(int32(1)))
		}
	}
	if n := len(s.Rollout.Steps); n > 0 && random.OneIn(t, "sized", 5) {
		s.Rollout.Steps[random.Below(t, "sized step", n)].SetCanaryScale = &argo.CanaryScale{Replicas: ptr.To(int32(1))}
	}
	if random.OneIn(t, "turns", 3) {
		selects := func(name string) map[string]string {
			return random.OneOf(t, name, nil, map[string]string{argo.HashLabel: "v1"}, map[string]string{argo.HashLabel: "v4"})
		}
		s.Ping = &argo.Service{Name: "ping", Selector: selects("ping"), Managed: random.Bool(t, "ping is managed")}
		s.Pong = &argo.Service{Name: "pong", Selector: selects("pong"), Managed: random.Bool(t, "pong is managed")}
		s.Rollout.Status.StablePingPong = random.OneOf(t, "stable one", "", argo.Ping, argo.Pong)
	}
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
	"AbortGetsPodsAgain": func(s *argo.Snapshot, p *argo.Plan) bool {
		o := &s.Rollout
		wants, w := planned(s, p, o.TemplateHash), p.Status.Weights
		return o.Status.Abort && o.Routing != nil && o.Routing.DynamicStableScale && wants > setOf(s, o.TemplateHash).Replicas &&
			w != nil && w.Canary.Weight**o.Replicas <= 100*(wants-1) // one pod less serves all requests that are led to it
	},
	"StablePingPongSelectsAll": func(s *argo.Snapshot, _ *argo.Plan) bool {
		stable := s.Pong
		if s.Rollout.Status.StablePingPong == argo.Ping {
			stable = s.Ping
		}
		return stable != nil && stable.Selector[argo.HashLabel] != s.Rollout.Status.StableRS
	},
	"ZeroReplicasTakeSteps": func(s *argo.Snapshot, p *argo.Plan) bool {
		o := &s.Rollout
		waits := o.BlueGreen != nil && p.Status.ActiveSelector != o.TemplateHash || o.Status.StableRS != o.TemplateHash && p.Status.StableRS != o.TemplateHash
		return *o.Replicas == 0 && (waits || planned(s, p, o.TemplateHash) > 0)
	},
	"StableGoesBeforeRequests": func(s *argo.Snapshot, p *argo.Plan) bool {
		was, next := s.Rollout.Status.Weights, p.Status.Weights
		return s.Rollout.Routing != nil && s.Rollout.Routing.DynamicStableScale && next != nil && (was == nil || next.Stable.Weight > was.Stable.Weight)
	},
	"NoPodServesRest": func(s *argo.Snapshot, p *argo.Plan) bool {
		for _, h := range p.Holds {
			if h.Reason == reason.StableNotReady {
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
		unusual(t, &s)
		kept, err := reconcile(s, now)
		if err != nil {
			t.Fatal(err)
		}
		for i, q := range quirk.Table() {
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
