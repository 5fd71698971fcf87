// SPDX-License-Identifier: Apache-2.0

package deploy_test

import (
	"fmt"
	"slices"
	"strconv"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/internal/base/ptr"
	"github.com/kplan-go/kplan/internal/verify/invariant"
	"github.com/kplan-go/kplan/internal/verify/purity"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/revision"
)

// keeps checks named invariants of the plan for a snapshot.
func keeps(t *rapid.T, s deploy.Snapshot, opts deploy.Options, names ...string) {
	p, err := deploy.Reconcile(s, t0, opts)
	if err != nil {
		t.Fatal(err)
	}
	pass := invariant.DeploymentPass{Snapshot: s, Now: t0, Options: opts, Plan: p}
	for _, name := range names {
		if !slices.ContainsFunc(invariant.All(), func(i invariant.Invariant) bool { return i.Name == name }) {
			t.Fatalf("no invariant is called %q", name)
		}
		if found := invariant.Check(name, &pass); len(found) > 0 {
			t.Fatalf("%s: %v\n%v", name, found, p)
		}
	}
}

// TestPropertyFence: a rolling update can always move: its limits are never both 0.
func TestPropertyFence(t *testing.T) {
	check(t, func(t *rapid.T) {
		keeps(t, anyKind(t), deploy.Options{}, "limits never both zero", "rounding of limits")
	})
}

// TestPropertyToZero: scaled to nothing, a Deployment wants nothing after one plan.
func TestPropertyToZero(t *testing.T) {
	check(t, func(t *rapid.T) {
		s := caughtUp(t)
		for i := range s.ReplicaSets {
			sized("7", "9")(&s.ReplicaSets[i])
		}
		s.Deployment.Replicas = ptr.To(int32(0))
		keeps(t, s, deploy.Options{}, "scaled to zero")
	})
}

// TestPropertyPaused: a paused Deployment creates nothing and goes back to nothing,
// and a single active ReplicaSet has all replicas.
func TestPropertyPaused(t *testing.T) {
	check(t, func(t *rapid.T) {
		s := anyKind(t)
		s.Deployment.Paused, s.Deployment.DeletionTimestamp, s.Deployment.Selector = true, time.Time{}, nil
		keeps(t, s, deploy.Options{}, "paused Deployment")
	})
}

// TestPropertyRecreate: Recreate starts no new pod while an old one has not ended.
func TestPropertyRecreate(t *testing.T) {
	check(t, func(t *rapid.T) {
		s := caughtUp(t)
		s.Deployment.Strategy = deploy.Recreate
		if rapid.Bool().Draw(t, "a pod remains") {
			s.Pods = []podorder.Pod{{Name: "p", ControllerKind: "ReplicaSet", ControllerUID: "v1", Phase: podorder.Running}}
		}
		keeps(t, s, deploy.Options{}, "Recreate waits for old pods")
	})
}

// TestPropertyNewest: of several ReplicaSets with the Deployment's template the oldest
// is the new one.
func TestPropertyNewest(t *testing.T) {
	check(t, func(t *rapid.T) {
		s := caughtUp(t)
		s.ReplicaSets = slices.Clone(s.ReplicaSets)
		for i := range s.ReplicaSets {
			if rapid.Bool().Draw(t, "duplicate") {
				s.ReplicaSets[i].Template = s.Deployment.Template
			}
		}
		keeps(t, s, deploy.Options{}, "one new ReplicaSet")
	})
}

// TestPropertyUnhealthyFirst: no available pod of an old ReplicaSet goes while an
// unavailable one could.
func TestPropertyUnhealthyFirst(t *testing.T) {
	check(t, func(t *rapid.T) { keeps(t, caughtUp(t), deploy.Options{}, "unhealthy old pods first") })
}

// TestPropertyDeadline: a deadline is reported as missed only when it has been, and
// never because of a pause.
func TestPropertyDeadline(t *testing.T) {
	check(t, func(t *rapid.T) { keeps(t, anyKind(t), deploy.Options{}, "progress deadline") })
}

// TestPropertyRevision: a new ReplicaSet, created or used again, has a higher revision
// than any old one.
func TestPropertyRevision(t *testing.T) {
	check(t, func(t *rapid.T) { keeps(t, caughtUp(t), deploy.Options{}, "revisions grow") })
}

// TestPropertyHistory: no ReplicaSet that wants or has pods is deleted, and never more
// than exceed the limit; with all repairs as many of the empty ones are left as it says.
func TestPropertyHistory(t *testing.T) {
	check(t, func(t *rapid.T) {
		sets := []replicaset.ReplicaSet{set(9, 3)}
		for i := range rapid.IntRange(0, 5).Draw(t, "old") {
			left := rapid.Int32Range(0, 1).Draw(t, "left")
			sets = append(sets, set(i+1, 0, counts(left, 0), numbered(fmt.Sprint(rapid.IntRange(1, 4).Draw(t, "revision")))))
		}
		s := snapshot(web(3, template("v9"), history(rapid.Int32Range(0, 3).Draw(t, "limit")), reported(3, 3, 3, 3)), sets...)
		keeps(t, s, deploy.Options{}, "history limit")
		keeps(t, s, corrected, "history limit")
	})
}

// TestPropertyCollision: a taken name raises the count of collisions until another
// name is free, and the count never falls.
func TestPropertyCollision(t *testing.T) {
	check(t, func(t *rapid.T) {
		s := purity.Clone(caughtUp(t))
		taken := rapid.IntRange(1, 5).Draw(t, "taken")
		for n := 1; ; n++ {
			hash := revision.Hash("template", s.Deployment.Status.CollisionCount)
			create := deploy.CreateReplicaSet{Name: revision.ReplicaSetName("web", hash)}
			if n > taken {
				return
			}
			s.ReplicaSets = append(s.ReplicaSets, set(20+n, 1, controlled("other"), func(rs *replicaset.ReplicaSet) { rs.Name = create.Name }))
			r := created(s, create, kplan.Outcome{Answer: kplan.AlreadyExists})
			if r.Err == nil || r.Status.CollisionCount == nil || *r.Status.CollisionCount != int32(n) {
				t.Fatalf("collision %d: %v %v", n, r.Status.CollisionCount, r.Err)
			}
			s.Deployment.Status = r.Status
		}
	})
}

// TestPropertyRollback: a rollback to a revision gives the template of the oldest
// ReplicaSet with it, and does nothing else to the Deployment but remove the request.
func TestPropertyRollback(t *testing.T) {
	check(t, func(t *rapid.T) {
		s := caughtUp(t)
		s.Deployment.Template = revision.Template{ID: "v9", Hash: "v9"}
		to := rapid.IntRange(1, 6).Draw(t, "to")
		s.Deployment.Annotations = map[string]string{revision.AnnotationRollback: strconv.Itoa(to), revision.AnnotationLastApplied: "{}"}
		found := slices.IndexFunc(s.ReplicaSets, func(rs replicaset.ReplicaSet) bool {
			return rs.Annotations[revision.AnnotationRevision] == strconv.Itoa(to)
		})
		p := mustPlan(t, s)
		back, ok := p.Actions[len(p.Actions)-1].(deploy.RollBackDeployment)
		created := to == len(s.ReplicaSets)+1 // the revision that the present template is about to get
		if ok != (found >= 0) && !created {
			t.Fatalf("found %d: %v", found, p)
		}
		if ok && (!back.Template.Same(s.ReplicaSets[found].Template) || back.Annotations[revision.AnnotationRollback] != "" ||
			back.Annotations[revision.AnnotationLastApplied] != "{}") {
			t.Fatal(back)
		}
	})
}

// TestPropertyRecount: the counts of the status are those of the ReplicaSets.
func TestPropertyRecount(t *testing.T) {
	check(t, func(t *rapid.T) {
		keeps(t, anyKind(t), deploy.Options{}, "Deployment status recount")
		s := caughtUp(t)
		for i := range s.ReplicaSets {
			st := &s.ReplicaSets[i].Status
			st.ReadyReplicas = rapid.Int32Range(st.AvailableReplicas, st.Replicas).Draw(t, "ready")
		}
		keeps(t, s, deploy.Options{}, "Deployment status recount")
	})
}

// TestPropertyTerminating: with TerminationComplete, pods that are wanted or being
// deleted never exceed replicas and surge because of the plan.
func TestPropertyTerminating(t *testing.T) {
	check(t, func(t *rapid.T) {
		s := caughtUp(t)
		for i := range s.ReplicaSets {
			n := rapid.Int32Range(0, 3).Draw(t, "leaving")
			s.ReplicaSets[i].Status.TerminatingReplicas = &n
		}
		keeps(t, s, deploy.Options{Terminating: deploy.TerminationComplete}, "terminating pods policy")
	})
}

// TestPropertySizeAnnotations: whatever is scaled or created records the Deployment's
// replicas, and replicas and surge.
func TestPropertySizeAnnotations(t *testing.T) {
	check(t, func(t *rapid.T) { keeps(t, anyKind(t), deploy.Options{}, "desired-replicas recorded") })
}
