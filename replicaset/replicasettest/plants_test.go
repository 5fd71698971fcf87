// SPDX-License-Identifier: Apache-2.0

package replicasettest

import (
	"slices"
	"testing"
	"time"

	"github.com/kplan-go/kplan/internal/verify/properties"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/replicaset/expect"
	"github.com/kplan-go/kplan/replicaset/reason"
	"github.com/kplan-go/kplan/selector/claim"
)

type plant = properties.Plant[replicaset.Snapshot, replicaset.Options, replicaset.Plan]

// more creates so many pods more than a plan does.
func more(n int32) func(*replicaset.Snapshot, *replicaset.Plan) {
	return func(_ *replicaset.Snapshot, p *replicaset.Plan) {
		properties.Each(p.Actions, func(a *replicaset.CreatePods) {
			a.Count += n
		})
	}
}

// kill deletes pods that a filter picks.
func kill(picks func(s *replicaset.Snapshot, pod *podorder.Pod) bool) func(*replicaset.Snapshot, *replicaset.Plan) {
	return func(s *replicaset.Snapshot, p *replicaset.Plan) {
		for i := range s.Pods {
			if pod := &s.Pods[i]; picks(s, pod) {
				p.Actions = append(p.Actions, replicaset.DeletePod{Name: pod.Name, UID: pod.UID, Reason: reason.TooMany})
			}
		}
	}
}

// unknown is an action that nobody knows.
type unknown struct{ replicaset.Action }

func own(s *replicaset.Snapshot, p *podorder.Pod) bool {
	return p.ControllerUID == s.ReplicaSet.UID && p.Active()
}

func universal() []plant {
	return append([]plant{
		room.Refusal("no selector is an error", func(s *replicaset.Snapshot) bool { return s.ReplicaSet.Selector == nil }),
		room.InPlan("input untouched", "conditions of the snapshot are handed out", func(s *replicaset.Snapshot, p *replicaset.Plan) {
			p.Status.Conditions = s.ReplicaSet.Status.Conditions
		}),
		room.InPlan("order independence", "the first of the list goes", func(s *replicaset.Snapshot, p *replicaset.Plan) {
			if len(s.Pods) > 0 {
				p.Actions = append(p.Actions, replicaset.DeletePod{Name: s.Pods[0].Name, UID: s.Pods[0].UID})
			}
		}),
		room.InPlan("no panic", "an index out of range", func(s *replicaset.Snapshot, p *replicaset.Plan) { p.Status.Replicas = s.Pods[0].Restarts }),
		room.InPlan("actions take effect", "a pod is adopted that is its own", func(s *replicaset.Snapshot, p *replicaset.Plan) {
			controller := true
			for i := range s.Pods {
				if pod := &s.Pods[i]; pod.DeletionTimestamp.IsZero() {
					reference := claim.OwnerReference{UID: pod.ControllerUID, Kind: pod.ControllerKind, Name: pod.ControllerName, Controller: &controller}
					p.Actions = append(replicaset.Actions{replicaset.DeletePod{Name: pod.Name, UID: pod.UID}, replicaset.AdoptPod{Name: pod.Name, UID: pod.UID, Reference: reference}}, p.Actions...)
				}
			}
		}),
		room.InPlan("convergence", "a pod is made for every pass", func(_ *replicaset.Snapshot, p *replicaset.Plan) {
			p.Actions = append(p.Actions, replicaset.CreatePods{Count: 1})
		}),
		room.InPlan("no repeated state", "too many and too few in turn", func(s *replicaset.Snapshot, p *replicaset.Plan) {
			if len(p.Actions) == 0 {
				p.Actions = replicaset.Actions{replicaset.CreatePods{Count: 1}}
			}
		}),
		room.InPlan("own objects only", "no UID as a precondition", func(_ *replicaset.Snapshot, p *replicaset.Plan) {
			properties.Each(p.Actions, func(a *replicaset.DeletePod) {
				a.UID = "any"
			})
		}),
		room.InPlan("bounds after every prefix", "one creation too many", more(1)),
		room.InPlan("bounds after every part", "a pod is replaced by one plan", func(s *replicaset.Snapshot, p *replicaset.Plan) {
			kill(own)(s, p)
			p.Actions = append(p.Actions, replicaset.CreatePods{Count: int32(len(s.Pods))})
		}),
		room.InView("bounds from stale views", "expectations are not read", func(s *replicaset.Snapshot, _ *time.Time, _ *replicaset.Options) {
			s.Expectations = expect.Expectations{}
		}),
		room.InPlan("everything explained", "an action without a reason", func(_ *replicaset.Snapshot, p *replicaset.Plan) {
			properties.Each(p.Actions, func(a *replicaset.CreatePods) {
				a.Reason = ""
			})
		}),
		room.InPlan("JSON round trip", "an action that JSON does not know", func(_ *replicaset.Snapshot, p *replicaset.Plan) {
			if len(p.Actions) > 0 {
				p.Actions[0] = unknown{p.Actions[0]}
			}
		}),
	}, room.Impurities(func(p *replicaset.Plan, n int32) { p.Status.Replicas = n })...)
}

func pods() []plant {
	return []plant{
		room.InPlan("exact difference", "one creation too few", more(-1)),
		room.InPlan("own active pods only", "pods of another are deleted", kill(func(s *replicaset.Snapshot, p *podorder.Pod) bool { return p.ControllerUID != s.ReplicaSet.UID })),
		room.InPlan("no surplus deletion", "all of its pods go", kill(own)),
		room.InPlan("adoption and release", "an orphan is left alone", func(_ *replicaset.Snapshot, p *replicaset.Plan) {
			p.Actions = properties.Without(p.Actions, func(replicaset.AdoptPod) bool { return true })
		}),
		room.InPlan("one controller per pod", "a pod is taken from another controller", func(s *replicaset.Snapshot, p *replicaset.Plan) {
			controller := true
			for i := range s.Pods {
				if pod := &s.Pods[i]; pod.ControllerUID != "" {
					p.Actions = append(p.Actions, replicaset.AdoptPod{Name: pod.Name, UID: pod.UID, Reference: claim.OwnerReference{UID: s.ReplicaSet.UID, Controller: &controller}})
				}
			}
		}),
		room.InPlan("finished pods do not count", "all pods count", func(s *replicaset.Snapshot, p *replicaset.Plan) { p.Status.Replicas = int32(len(s.Pods)) }),
		room.InPlan("ReplicaSet status recount", "a pod is ready twice", func(_ *replicaset.Snapshot, p *replicaset.Plan) { p.Status.ReadyReplicas++ }),
		room.InView("deleting ReplicaSet rests", "its deletion is not read", func(s *replicaset.Snapshot, _ *time.Time, _ *replicaset.Options) {
			s.ReplicaSet.DeletionTimestamp = time.Time{}
		}),
		room.InPlan("availability instant", "it looks again a second late", func(_ *replicaset.Snapshot, p *replicaset.Plan) {
			if !p.RecheckAt.IsZero() {
				p.RecheckAt = p.RecheckAt.Add(time.Second)
			}
		}),
		room.InPlan("ReplicaFailure condition", "a failure is forgotten while nothing is tried", func(_ *replicaset.Snapshot, p *replicaset.Plan) { p.Status.Conditions = nil }),
	}
}

func plants() []plant { return slices.Concat(universal(), pods()) }

// Each check finds a planted bug, alone, within 2,000 cases.
func TestPlants(t *testing.T) { room.FindPlants(t, plants()) }

// The machine, and the checks of traces and changes find bugs, too.
func TestPlantsElsewhere(t *testing.T) {
	noTheft := slices.DeleteFunc(plants(), func(p plant) bool { return p.Name == "one controller per pod" }) // refused by the API server
	room.Elsewhere(t, noTheft, []string{"bounds after every prefix", "no surplus deletion", "exact difference", "convergence"}, []string{"no repeated state", "everything explained"})
}

// Only the machine shows a planner what it sees when its cache lags behind its own writes: a
// planner that waits for more than two creations no longer than ten seconds creates them
// again, and passes all checks of what it does about one snapshot.
func TestStaleViews(t *testing.T) {
	hasty := func(s replicaset.Snapshot, now time.Time, o replicaset.Options) (replicaset.Plan, error) {
		if s.Expectations.Creations > 2 && now.Sub(s.Expectations.At) > 9*time.Second {
			s.Expectations = expect.Expectations{}
		}
		return replicaset.Reconcile(s, now, o)
	}
	if n := properties.Cases(t, Kit().Property(hasty), 500); n != 0 {
		t.Errorf("found in case %d without a stale view", n)
	}
	n := properties.Cases(t, Kit().Only("bounds after every prefix", "bounds from stale views").Machine(hasty), 2000)
	if n == 0 {
		t.Fatal("not found in 2000 cases")
	}
	t.Logf("found in case %d", n)
}
