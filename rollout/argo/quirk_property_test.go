// SPDX-License-Identifier: Apache-2.0

package argo_test

import (
	"fmt"
	"reflect"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/kplan-go/kplan/internal/ptr"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/argo"
)

// anyUpdate draws an update from v1 to v4, with others in between.
func anyUpdate(t *rapid.T) argo.Snapshot {
	n := rapid.Int32Range(1, 6).Draw(t, "replicas")
	few := func(label string) *int32 {
		return rapid.SampledFrom([]*int32{nil, ptr.To(int32(0)), ptr.To(int32(2))}).Draw(t, label)
	}
	often := func(label string) bool { return rapid.IntRange(0, 2).Draw(t, label) == 0 }
	s := argo.Snapshot{Rollout: argo.Rollout{TemplateHash: "v4", Replicas: &n, MaxSurge: rollout.Int(1), MaxUnavailable: rollout.Int(rapid.Int32Range(0, 2).Draw(t, "unavailable"))}}
	o, status := &s.Rollout, &s.Rollout.Status
	steps := []argo.Step{weight(10), weight(60), weight(100), pause(-1), setting(argo.StepHeaderRoute, betaUsers), setting(argo.StepMirrorRoute, copied), {Other: argo.StepAnalysis}}
	o.Steps = rapid.SliceOfN(rapid.SampledFrom(steps), 0, 4).Draw(t, "steps")
	*status = argo.Status{
		CurrentPodHash: "v4", StableRS: rapid.SampledFrom([]string{"v1", "v1", "v1", "v4"}).Draw(t, "stable"), CurrentStepIndex: ptr.To(rapid.Int32Range(0, int32(len(o.Steps))).Draw(t, "index")),
		Abort: often("abort"), PromoteFull: often("full") && often("fully"), ControllerPause: often("resumed"),
	}
	switch rapid.IntRange(0, 3).Draw(t, "style") {
	case 1:
		o.BlueGreen = &argo.BlueGreen{ScaleDownDelaySeconds: few("delay")}
		s.Active, status.ActiveSelector = &argo.Service{Name: "active", Selector: map[string]string{argo.HashLabel: status.StableRS}}, status.StableRS
	case 2, 3:
		o.Routing = &argo.Routing{
			DynamicStableScale: rapid.Bool().Draw(t, "dynamic"), MinPodsPerReplicaSet: few("least"), ScaleDownDelaySeconds: few("delay"), AbortScaleDownDelaySeconds: few("abort delay"),
		}
		if w := rapid.SampledFrom([]int32{-1, 0, 10, 60, 100}).Draw(t, "weight"); w >= 0 {
			status.Weights = &argo.TrafficWeights{
				Canary: argo.WeightDestination{Weight: w, Hash: rapid.SampledFrom([]string{"v4", "v2"}).Draw(t, "led")}, Stable: argo.WeightDestination{Weight: 100 - w, Hash: "v1"},
			}
		}
	}
	run := func(label string) argo.Run {
		return argo.Run{Phase: rapid.SampledFrom([]argo.RunPhase{"", argo.RunInconclusive, argo.RunSuccessful}).Draw(t, label)}
	}
	status.Runs = argo.Runs{Step: run("step"), Background: run("background")}
	for i := range 4 {
		if size := rapid.SampledFrom([]int32{0, 1, 2, n, n, n + 1}).Draw(t, "size"); i == 3 || size > 0 {
			s.Sets = append(s.Sets, argo.ReplicaSet{
				Hash: fmt.Sprint("v", i+1), Revision: int64(i) + 1, DesiredReplicas: &n, CreationTimestamp: now.Add(time.Duration(i) * time.Second),
				Size: argo.Size{Replicas: size, StatusReplicas: size, AvailableReplicas: max(0, size+rapid.SampledFrom([]int32{0, 0, 0, 0, -1, 1}).Draw(t, "available"))},
			})
		}
	}
	if often("routes") {
		s.Routes = []argo.Route{betaUsers}
	}
	if rapid.Bool().Draw(t, "settled") {
		s = settled(t, s)
	}
	return s
}

// settled lets a few passes go by in which pods become available, and takes some pods of
// ReplicaSets in between away.
func settled(t *rapid.T, s argo.Snapshot) argo.Snapshot {
	for range 4 {
		p, err := reconcile(s, now)
		if err != nil {
			t.Fatal(err)
		}
		p.Status.CurrentStepIndex, p.Status.PauseConditions, p.Status.Conditions = s.Rollout.Status.CurrentStepIndex, nil, nil
		if s, err = p.Apply(s, now); err != nil {
			t.Fatal(err)
		}
		for i := range s.Sets {
			set := &s.Sets[i]
			set.AvailableReplicas, set.StatusReplicas = set.Replicas, set.Replicas
		}
	}
	if rapid.Bool().Draw(t, "in between") {
		set := argo.ReplicaSet{Hash: "v0", Size: argo.Size{Replicas: 1, StatusReplicas: 1}}
		if s.Sets = append(s.Sets, set); rapid.Bool().Draw(t, "available") {
			s.Sets[len(s.Sets)-1].AvailableReplicas = 1
		}
	}
	return s
}

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
	rapid.Check(t, func(t *rapid.T) {
		s := anyUpdate(t)
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
