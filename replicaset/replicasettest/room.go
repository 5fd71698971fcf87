// SPDX-License-Identifier: Apache-2.0

package replicasettest

import (
	"slices"
	"time"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/internal/verify/invariant"
	"github.com/kplan-go/kplan/internal/verify/properties"
	"github.com/kplan-go/kplan/internal/verify/random"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/replicaset/reason"
	"github.com/kplan-go/kplan/selector/claim"
)

// room describes planners of ReplicaSets to the checks.
var room = properties.Room[replicaset.Snapshot, replicaset.Options, replicaset.Plan]{
	Package: "replicasettest", Prefix: "ReplicaSet",
	Draw:      draw,
	Options:   random.ReplicaSetOptions,
	Reference: replicaset.Reconcile,
	Fair:      invariant.RunReplicaSet,
	Actions:   func(p *replicaset.Plan) int { return len(p.Actions) },
	Apply: func(p *replicaset.Plan, from, to int, s replicaset.Snapshot, now time.Time) (replicaset.Snapshot, error) {
		return p.Actions[from:to].Apply(s, now)
	},
	Finish: func(s *replicaset.Snapshot, p *replicaset.Plan) { s.ReplicaSet.Status = p.Status },
	Derive: derive,
	Derived: []string{"exact difference", "own active pods only", "no surplus deletion", "adoption and release", "one controller per pod",
		"deleting ReplicaSet rests"},
	Begin: func(*replicaset.Snapshot) {},
	Drift: drift,
	Blind: func(s *replicaset.Snapshot, p *replicaset.Plan, now time.Time) {
		s.Expectations = p.Expect(s.Expectations, now)
	},
	World: map[string]func(random.Source, *replicaset.Snapshot, time.Time){"pods live": live, "pods die": die, "it is told": told},
}

// most is the limit of drawn replicas: all created pods are simulated, many times.
const most = 1000

func draw(s random.Source, kind random.Kind) replicaset.Snapshot {
	snapshot := random.ReplicaSet(s, kind)
	if n := snapshot.ReplicaSet.Replicas; n != nil && *n > most {
		limited := int32(most)
		snapshot.ReplicaSet.Replicas = &limited
	}
	return snapshot
}

// drift returns the number of pods that have changed or exist on one side only.
func drift(before, after *replicaset.Snapshot) (n int64) {
	if before.ReplicaSet.Generation != after.ReplicaSet.Generation {
		return properties.Unknown
	}
	there := map[string]*podorder.Pod{}
	for i := range before.Pods {
		there[before.Pods[i].Name] = &before.Pods[i]
	}
	for i := range after.Pods {
		p := &after.Pods[i]
		if q := there[p.Name]; q == nil || q.Phase != p.Phase || q.Ready != p.Ready || q.DeletionTimestamp != p.DeletionTimestamp {
			n++
		}
		delete(there, p.Name)
	}
	return n + int64(len(there))
}

// live schedules pods, makes them run and ready, and removes some of the deleted pods.
func live(s random.Source, snapshot *replicaset.Snapshot, now time.Time) {
	snapshot.Pods = slices.DeleteFunc(snapshot.Pods, func(p podorder.Pod) bool {
		return !p.DeletionTimestamp.IsZero() && random.Bool(s, "ends")
	})
	for i := range snapshot.Pods {
		p := &snapshot.Pods[i]
		if p.Finished() || p.Ready || !random.Bool(s, "goes on") {
			continue
		}
		if p.NodeName == "" {
			p.NodeName = random.OneOf(s, "node", "n1", "n2", "n3")
			continue
		}
		p.Phase, p.Ready, p.ReadySince = podorder.Running, true, now
	}
}

// die makes pods fail, lose their readiness, or be deleted by a user.
func die(s random.Source, snapshot *replicaset.Snapshot, now time.Time) {
	for i := range snapshot.Pods {
		p := &snapshot.Pods[i]
		switch random.Below(s, "dies", 8) {
		case 5:
			p.Phase, p.Ready, p.ReadySince = podorder.Failed, false, time.Time{}
		case 6:
			p.Ready, p.ReadySince = false, time.Time{}
		case 7:
			if p.DeletionTimestamp.IsZero() {
				p.DeletionTimestamp = now
			}
		}
	}
}

// told makes a user scale.
func told(s random.Source, snapshot *replicaset.Snapshot, _ time.Time) {
	replicas := random.Between[int32](s, "replicas", 0, 12)
	snapshot.ReplicaSet.Replicas = &replicas
	snapshot.ReplicaSet.Generation++
}

// derive returns a plan that turns before into after. Two facts cannot be seen and are
// assumed: a controller that adopts has asked the API server, and a pod that must not be
// deleted is kept for that reason.
func derive(before, after *replicaset.Snapshot, o *replicaset.Options) (plan replicaset.Plan) {
	there, created := map[string]*podorder.Pod{}, int32(0)
	for i := range after.Pods {
		there[after.Pods[i].Name] = &after.Pods[i]
	}
	var claims, deletions replicaset.Actions
	owner, controller := &before.ReplicaSet, true
	anyones := o.Dialect == replicaset.Kubernetes15WithoutGarbageCollector // pods count, with any controller
	for i := range before.Pods {
		p := &before.Pods[i]
		q := there[p.Name]
		delete(there, p.Name)
		if q != nil && q.UID != p.UID { // another pod with the same name
			q = nil
			created++
		}
		deleted := q == nil || p.DeletionTimestamp.IsZero() && !q.DeletionTimestamp.IsZero()
		if deleted {
			deletions = append(deletions, replicaset.DeletePod{Name: p.Name, UID: p.UID})
		}
		taken := q != nil && p.ControllerUID != owner.UID && q.ControllerUID == owner.UID
		switch { // an orphan that is gone was adopted before
		case taken || q == nil && p.ControllerUID == "" && !anyones:
			reference := claim.OwnerReference{UID: owner.UID, Name: owner.Name, Controller: &controller}
			claims = append(claims, replicaset.AdoptPod{Name: p.Name, UID: p.UID, Reference: reference})
			plan.LiveCheck = true
		case q != nil && p.ControllerUID == owner.UID && q.ControllerUID != owner.UID:
			claims = append(claims, replicaset.ReleasePod{Name: p.Name, UID: p.UID, OwnerUID: owner.UID})
		}
	}
	plan.Actions = append(claims, deletions...)
	if created += int32(len(there)); created > 0 {
		plan.Actions = append(plan.Actions, replicaset.CreatePods{Count: created, WithoutController: anyones})
	}
	if o.Order.Priority != "" {
		plan.Holds = append(plan.Holds, kplan.Hold{Reason: reason.Protected})
	}
	return plan
}
