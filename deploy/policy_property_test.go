// SPDX-License-Identifier: Apache-2.0

package deploy_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/deploy/quirk"
	"github.com/kplan-go/kplan/deploy/reason"
	"github.com/kplan-go/kplan/internal/base/ptr"
	"github.com/kplan-go/kplan/internal/verify/purity"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/rollout"
)

// Somebody still needs nine pods of the old template: one goes, and the rest is kept.
func ExampleSetPolicy() {
	plan, err := deploy.Reconcile(shop(), noon, deploy.Options{Sets: map[string]deploy.SetPolicy{"web-66cf68d45": {Least: 9}}})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(plan)
	// Output:
	// Scaled up replica set web-7d4c665cf7 from 0 to 3 (NewTemplate, revision 2)
	// Annotated deployment: deployment.kubernetes.io/revision (Revision)
	// Scaled down replica set web-66cf68d45 from 10 to 9 (RolloutDown)
	// web-7d4c665cf7 held back: SurgeExhausted (13 of 13)
	// web-66cf68d45 held back: Kept (9 of 9)
}

// anyPolicies draws policies, and what is said of the ReplicaSets of a snapshot.
func anyPolicies(t *rapid.T, s deploy.Snapshot) deploy.Options {
	o, flag := deploy.Options{Sets: map[string]deploy.SetPolicy{}}, rapid.Bool()
	o.Repair = quirk.Set(rapid.Uint64Max(uint64(quirk.All)).Draw(t, "repair")) & quirk.All
	o.Policy = anyPolicy(t)
	for _, rs := range s.ReplicaSets {
		if flag.Draw(t, "something is said") {
			o.Sets[rs.Name] = deploy.SetPolicy{
				Least: rapid.Int32Range(0, 5).Draw(t, "least"), Protected: rapid.Int32Range(0, 5).Draw(t, "protected"),
				Moves: flag.Draw(t, "moves"), Busy: flag.Draw(t, "busy"),
			}
		}
	}
	return o
}

// anyPolicy draws a valid policy. It has no member that repairs a quirk.
func anyPolicy(t *rapid.T) rollout.Policy {
	flag := rapid.Bool()
	p := rollout.Policy{
		Together: flag.Draw(t, "together"), CountLarger: flag.Draw(t, "larger"), CountThere: flag.Draw(t, "there"), WorstCase: flag.Draw(t, "worst"),
		BreakDeadlock: flag.Draw(t, "break"), WaitForNew: flag.Draw(t, "wait"), FreezeOvershoot: flag.Draw(t, "freeze"), OfReady: flag.Draw(t, "ready"),
	}
	if rapid.IntRange(0, 7).Draw(t, "on delete") == 0 {
		p = rollout.Policy{OnDelete: true}
	}
	p.ScaleNewest, p.ProtectedApart = flag.Draw(t, "newest"), flag.Draw(t, "apart") && !p.WorstCase && !p.BreakDeadlock
	p.CountThere = p.CountThere && !p.CountLarger
	return p
}

// TestPropertyPoliciesUnset: with policies that say nothing a plan is the one without, and it is
// the arithmetic of package rollout that says so.
func TestPropertyPoliciesUnset(t *testing.T) {
	check(t, func(t *rapid.T) {
		s := anyKind(t)
		plain := deploy.Options{Repair: anyPolicies(t, deploy.Snapshot{}).Repair}
		said := plain
		said.Sets = map[string]deploy.SetPolicy{"nobody": {Least: 1, Moves: true}}
		want, err := deploy.Reconcile(s, t0, plain)
		require.NoError(t, err)
		got, err := deploy.Reconcile(s, t0, said)
		require.NoError(t, err)
		require.Empty(t, cmp.Diff(want, got, cmpopts.EquateEmpty()))
	})
}

// TestPropertyPoliciesPure: under any policies plans are pure, and options come through JSON.
func TestPropertyPoliciesPure(t *testing.T) {
	check(t, func(t *rapid.T) {
		s := anyKind(t)
		o := anyPolicies(t, s)
		purity.Check(t, s, func(s deploy.Snapshot) (deploy.Plan, error) { return deploy.Reconcile(s, t0, o) }, "ReplicaSets", "Pods")
		data, err := json.Marshal(o)
		require.NoError(t, err)
		var back deploy.Options
		require.NoError(t, json.Unmarshal(data, &back))
		require.Empty(t, cmp.Diff(o, back, cmpopts.EquateEmpty()))
	})
}

// TestPropertyKept: whatever a pass does, no ReplicaSet goes below what it keeps.
func TestPropertyKept(t *testing.T) {
	check(t, func(t *rapid.T) {
		s := anyKind(t)
		if s.Deployment.Partitioned != nil {
			t.Skip("has no policies")
		}
		o := anyPolicies(t, s)
		p, err := deploy.Reconcile(s, t0, o)
		require.NoError(t, err)
		for _, a := range p.Actions {
			if a, ok := a.(deploy.ScaleReplicaSet); ok && a.To < a.From {
				keep := o.Sets[a.Name]
				if o.Policy.ProtectedApart {
					keep.Protected = 0
				}
				require.GreaterOrEqual(t, a.To, min(a.From, max(keep.Least, keep.Protected)), "%v", a)
			}
		}
	})
}

// worst is what stays available if sets lose available pods first.
func worst(s deploy.Snapshot) (sum int64) {
	for _, rs := range s.ReplicaSets {
		sum += int64(max(0, rs.Status.AvailableReplicas-max(0, rs.Status.Replicas-*rs.Replicas)))
	}
	return sum
}

// TestPropertyPolicyBounds: after any prefix of a plan no more pods are wanted, or there if that
// is what counts, than replicas and surge, or than before, and enough stay available, or as many
// as were: in the worst case, if that is the policy, but for a pod by which a deadlock is
// broken. Where people delete pods, no more go than there are beyond the replicas.
func TestPropertyPolicyBounds(t *testing.T) {
	check(t, func(t *rapid.T) {
		s := purity.Clone(caughtUp(t))
		o := anyPolicies(t, s)
		o.Repair = quirk.All
		o.Policy.WaitForNew = o.Policy.WaitForNew || o.Policy.CountThere // or else what is still to come is not counted
		for i := range s.ReplicaSets {                                   // else upstream goes too far: see The worst case in the rules of package rollout
			if rs := &s.ReplicaSets[i]; o.Policy.WorstCase {
				rs.Status.Replicas = min(rs.Status.Replicas, *rs.Replicas)
				rs.Status.AvailableReplicas = min(rs.Status.AvailableReplicas, rs.Status.Replicas)
			}
		}
		p, err := deploy.Reconcile(s, t0, o)
		require.NoError(t, err)
		left := available
		switch {
		case o.Policy.OnDelete:
			left = stays
		case o.Policy.WorstCase:
			left = worst
		}
		wanted := wanted
		if o.Policy.CountThere && !o.Policy.CountLarger && !o.Policy.OnDelete {
			wanted = oldThere
		}
		most := max(int64(p.Budget.Replicas)+int64(p.Budget.Surge), wanted(s))
		least := min(int64(p.Budget.MinAvailable()), left(s))
		switch {
		case o.Policy.OnDelete:
			least = min(int64(p.Budget.Replicas), left(s))
		case o.Policy.BreakDeadlock:
			least--
		}
		if !rolls(p) { // a scaling looks at no pod, nor does a new set that is too large
			return
		}
		for _, a := range p.Actions {
			require.NoError(t, apply(&s, a))
			if wanted(s) > most || left(s) < least {
				t.Fatalf("%v: %d wanted of at most %d, %d available of at least %d\n%v", a, wanted(s), most, left(s), least, p)
			}
		}
	})
}

// stays are the pods of old sets that are there and stay, and those that the new one wants.
func stays(s deploy.Snapshot) (sum int64) {
	for _, rs := range s.ReplicaSets {
		sum += int64(*rs.Replicas)
		if !rs.Template.Same(s.Deployment.Template) {
			sum += int64(min(0, rs.Status.Replicas-*rs.Replicas))
		}
	}
	return sum
}

// oldThere are the pods of old sets that are there, and those that the new one wants.
func oldThere(s deploy.Snapshot) (sum int64) {
	for _, rs := range s.ReplicaSets {
		if rs.Template.Same(s.Deployment.Template) {
			sum += int64(*rs.Replicas)
		} else {
			sum += int64(rs.Status.Replicas)
		}
	}
	return sum
}

// rolls reports whether a plan is a step of a rolling update, in which the new set is not too large.
func rolls(p deploy.Plan) bool {
	return !slices.ContainsFunc(p.Actions, func(a deploy.Action) bool {
		scale, ok := a.(deploy.ScaleReplicaSet)
		return ok && !slices.Contains([]kplan.Reason{reason.RolloutUp, reason.RolloutDown, reason.Unhealthy}, scale.Reason)
	})
}

// TestPropertyPolicyEnds: a rollout ends under any policies, when pods become available, people
// delete old ones, and pods that may move do. What sets keep stays.
func TestPropertyPolicyEnds(t *testing.T) {
	check(t, func(t *rapid.T) {
		n := rapid.Int32Range(1, 8).Draw(t, "replicas")
		first := rapid.Int32Range(0, n).Draw(t, "first")
		s := snapshot(web(n, limits(rapid.Int32Range(0, 3).Draw(t, "surge"), rapid.Int32Range(0, 3).Draw(t, "unavailable"))), set(1, first), set(3, n-first))
		o := anyPolicies(t, s)
		kept := int32(0)
		for name, p := range o.Sets { // what is kept can stop a rollout for good, and busy pods do as long as they are
			p.Busy, p.Protected = false, 0
			p.Least = min(p.Least, rapid.Int32Range(0, 1).Draw(t, "kept"))
			o.Sets[name] = p
		}
		for _, rs := range s.ReplicaSets {
			kept += min(*rs.Replicas, o.Sets[rs.Name].Least)
		}
		if kept > 0 {
			o.Policy.OnDelete, o.Policy.CountLarger, o.Policy.CountThere = false, false, false
			s.Deployment.MaxSurge = rollout.Int(s.Deployment.MaxSurge.Value() + kept)
		}
		for pass := 0; ; pass++ {
			p, err := deploy.Reconcile(s, t0.Add(time.Duration(pass)*time.Minute), o)
			require.NoError(t, err)
			s, err = p.Apply(s, t0)
			require.NoError(t, err)
			settle(&s)
			old := int32(0)
			for i := range s.ReplicaSets {
				rs := &s.ReplicaSets[i]
				if rs.Template.Same(s.Deployment.Template) {
					continue
				}
				if *rs.Replicas > o.Sets[rs.Name].Least && movable(p, rs.Name, o) {
					rs.Replicas = ptr.To(*rs.Replicas - 1)
					newOf(&s).Replicas = ptr.To(*newOf(&s).Replicas + 1)
				}
				if o.Policy.OnDelete && *rs.Replicas > 0 {
					rs.Status.Replicas, rs.Status.AvailableReplicas, rs.Status.ReadyReplicas = *rs.Replicas-1, *rs.Replicas-1, *rs.Replicas-1
				}
				old += *rs.Replicas
			}
			if fresh := newOf(&s); fresh != nil && *fresh.Replicas == n && old == kept {
				return
			}
			require.Less(t, pass, 60, "%v\n%v", p, o)
		}
	})
}

func movable(p deploy.Plan, name string, o deploy.Options) bool {
	return !o.Policy.OnDelete && slices.ContainsFunc(p.Holds, func(h kplan.Hold) bool {
		return h.Name == name && h.Reason == reason.MovesInPlace
	})
}

func newOf(s *deploy.Snapshot) *replicaset.ReplicaSet {
	for i := range s.ReplicaSets {
		if s.ReplicaSets[i].Template.Same(s.Deployment.Template) {
			return &s.ReplicaSets[i]
		}
	}
	return nil
}
