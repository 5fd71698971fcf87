// SPDX-License-Identifier: Apache-2.0

package argo_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/internal/verify/random"
	"github.com/kplan-go/kplan/rollout/argo"
	"github.com/kplan-go/kplan/rollout/argo/reason"
)

// options draws what random.Argo leaves out of a Rollout: how it is promoted, and who looks
// at it.
func options(s random.Source, snapshot *argo.Snapshot) {
	r := &snapshot.Rollout
	few := func(name string) *int32 {
		n := random.Between[int32](s, name, 0, 7)
		return random.OneOf(s, name+" or not", nil, nil, &n)
	}
	r.Paused = random.OneIn(s, "paused by a person", 12)
	if random.OneIn(s, "threshold", 4) {
		r.ProgressThreshold = &argo.Threshold{Type: random.OneOf(s, "of", "Percent", "Pods"), Value: random.OneOf[int32](s, "at least", 0, 1, 3, 50, 90, 100)}
	}
	if b := r.BlueGreen; b != nil {
		no := false
		b.AutoPromotionEnabled = random.OneOf(s, "promotes itself", nil, &no)
		b.PreviewReplicaCount, b.AbortScaleDownDelaySeconds = few("previewed"), few("abort delay")
		b.PrePromotionAnalysis, b.PostPromotionAnalysis = random.OneIn(s, "before", 4), random.OneIn(s, "behind", 4)
		r.Status.Runs.PrePromotion.Phase = random.OneOf(s, "run before", "", argo.RunRunning, argo.RunSuccessful)
		r.Status.Runs.PostPromotion.Phase = random.OneOf(s, "run behind", "", argo.RunRunning, argo.RunSuccessful)
		return
	}
	if r.Routing == nil {
		return
	}
	if random.Bool(s, "services") {
		hash := func(name string) map[string]string {
			return map[string]string{argo.HashLabel: random.OneOf(s, name, "v1", "v2", "v4")}
		}
		snapshot.StableService = &argo.Service{Name: "stable", Selector: hash("stable selects"), Managed: random.Bool(s, "managed")}
		snapshot.CanaryService = &argo.Service{Name: "canary", Selector: hash("canary selects")}
	}
	yes, no := true, false
	snapshot.WeightVerified = random.OneOf(s, "verified", nil, &yes, &no)
}

// refused reports whether a ReplicaSet cannot create pods.
func refused(set *argo.ReplicaSet) bool {
	return slices.ContainsFunc(set.Conditions, func(c kplan.Condition) bool { return c.Type == argo.ConditionReplicaFailure && c.Status == "True" })
}

// lags lets some of the pods come, go, and become available that are to. Those of a
// ReplicaSet that is refused do not come.
func lags(s random.Source, sets []argo.ReplicaSet) {
	for i := range sets {
		set := &sets[i]
		if there := random.OneOf(s, "there", set.Replicas, set.Replicas, set.Replicas, set.StatusReplicas, min(set.Replicas, 1)); there < set.StatusReplicas || !refused(set) {
			set.StatusReplicas = there
		}
		set.AvailableReplicas = random.OneOf(s, "available", set.StatusReplicas, set.StatusReplicas, min(set.StatusReplicas, set.AvailableReplicas), max(0, set.StatusReplicas-1), 0)
		set.ReadyReplicas = set.AvailableReplicas
	}
}

// steady draws a Rollout, some passes behind its beginning, and lets it go on while its pods
// stay as they are until it plans nothing more. It reports whether it ever does.
func steady(s random.Source) (snapshot argo.Snapshot, p argo.Plan, is bool) {
	snapshot = random.Argo(s, random.OneOf(s, "kind", random.CaughtUp, random.Truthful, random.Midway))
	options(s, &snapshot)
	for i := range snapshot.Sets {
		if random.OneIn(s, "refused", 8) {
			snapshot.Sets[i].Conditions = []kplan.Condition{{Type: argo.ConditionReplicaFailure, Status: random.OneOf[kplan.ConditionStatus](s, "refuses", "True", "False"), Reason: "FailedCreate"}}
		}
	}
	lags(s, snapshot.Sets)
	moves := random.Between(s, "passes", 0, 8)
	for pass := range 80 {
		var err error
		if p, err = reconcile(snapshot, random.Now); err != nil {
			panic(err)
		}
		if len(p.Actions) == 0 && pass >= moves && cmp.Equal(p.Status, snapshot.Rollout.Status) {
			return snapshot, p, true
		}
		if snapshot, err = p.Apply(snapshot, random.Now); err != nil {
			panic(err)
		}
		if pass < moves {
			lags(s, snapshot.Sets)
		}
	}
	return snapshot, p, false
}

// allWell reports whether a Rollout is healthy: all pods that are wanted are available, and
// get the traffic.
func allWell(s *argo.Snapshot, p *argo.Plan) bool {
	r, st := &s.Rollout, &p.Status
	fresh, n := setOf(s, r.TemplateHash), *r.Replicas
	selects := func(o *argo.Service) bool { return o == nil || n == 0 || o.Selector[argo.HashLabel] == r.TemplateHash }
	w := st.Weights
	led := w == nil || (w.Canary.Weight == 0 || w.Canary.Hash == r.TemplateHash) && (w.Stable.Weight == 0 || w.Stable.Hash == r.TemplateHash) && (w.Verified == nil || *w.Verified)
	return st.Phase == argo.PhaseHealthy && fresh.AvailableReplicas == n && led && selects(s.Active) && selects(s.StableService)
}

// unmet says how a hold is no reason to wait: what it compares is so already, or is not so
// of the ReplicaSet that it names.
func unmet(s *argo.Snapshot, p *argo.Plan, h kplan.Hold) string {
	var set *argo.ReplicaSet
	for i := range s.Sets {
		if h.Name != "" && s.Sets[i].Name == h.Name {
			set = &s.Sets[i]
		}
	}
	is := func(good bool, have ...int32) string {
		known := len(have) == 0
		for _, n := range have {
			known = known || int64(n) == h.Have
		}
		if good && known {
			return ""
		}
		return fmt.Sprint("no reason to wait: ", h)
	}
	switch h.Reason {
	case reason.BatchNotReady, reason.PreviewNotReady, reason.StableUnavailable, reason.StableNotReady:
		return is(set != nil && h.Have < h.Limit, zeroOr(set).AvailableReplicas)
	case reason.StableNotCreated:
		return is(set != nil && h.Have < h.Limit, zeroOr(set).StatusReplicas)
	case reason.PodsRemain:
		return is(set != nil && h.Have > h.Limit, zeroOr(set).AvailableReplicas, zeroOr(set).StatusReplicas)
	case reason.ReplicaFailure:
		return is(set != nil && h.Have != h.Limit && refused(set), zeroOr(set).StatusReplicas)
	case reason.Restart:
		return is(h.Have < h.Limit)
	case reason.Pause:
		return is(h.Have <= h.Limit && !p.RecheckAt.IsZero())
	case reason.ScaleDownDelay:
		return is(set != nil && set.ScaleDownAt.After(random.Now) && !p.RecheckAt.IsZero())
	case reason.Aborted:
		return is(p.Status.Abort)
	case reason.Paused:
		return is(s.Rollout.Paused || len(p.Status.PauseConditions) > 0)
	case reason.Unverified:
		no := func(b *bool) bool { return b != nil && !*b }
		return is(no(s.WeightVerified) || no(s.Rollout.Status.Weights.Verified))
	case reason.Approval, reason.Analysis:
		return is(!p.Status.PromoteFull)
	}
	return fmt.Sprint("no such reason: ", h)
}

func zeroOr(set *argo.ReplicaSet) *argo.ReplicaSet {
	if set == nil {
		return &argo.ReplicaSet{}
	}
	return set
}

// Whatever plans nothing is healthy, with all pods available and the traffic led to them,
// or says what it waits for, and that is not there yet.
func TestPropertySteady(t *testing.T) {
	random.Check(t, func(s random.T) {
		snapshot, p, is := steady(s)
		if !is {
			return
		}
		for _, h := range p.Holds {
			require.Empty(t, unmet(&snapshot, &p, h), "%v of %v", p, snapshot)
		}
		if len(p.Holds) == 0 {
			require.True(t, allWell(&snapshot, &p), "nothing is planned, and nothing is waited for: %+v, %v", snapshot, p.Status)
		}
	})
}
