// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/internal/ptr"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/rollout"
)

type planner = func(deploy.Snapshot, time.Time, deploy.Options) (deploy.Plan, error)

// A scenario is a rollout from one finished Deployment to another, which a third
// may interrupt.
type scenario struct {
	Old, New, Third deploy.Deployment
	Interrupt       time.Duration // when Third comes, or 0
	Kubelet         Kubelet
}

var scenarios = rapid.Custom(func(t *rapid.T) scenario {
	seconds := func(name string, most int) time.Duration {
		return time.Duration(rapid.IntRange(0, most).Draw(t, name)) * time.Second
	}
	limit := func(name string) rollout.IntOrPercent {
		n := rapid.Int32Range(0, 10).Draw(t, name)
		if rapid.Bool().Draw(t, name+" percent") {
			return rollout.Percent(n * 10)
		}
		return rollout.Int(n)
	}
	var s scenario
	s.Old = deployment("old", rapid.Int32Range(0, 20).Draw(t, "replicas"), limit("surge"), limit("unavailable"))
	if rapid.IntRange(0, 3).Draw(t, "strategy") == 0 {
		s.Old.Strategy = deploy.Recreate
	}
	s.New = s.Old
	s.New.Template = template("new")
	if rapid.Bool().Draw(t, "rescale") {
		s.New.Replicas = ptr.To(rapid.Int32Range(0, 20).Draw(t, "new replicas"))
	}
	s.Kubelet = Kubelet{
		ScheduleAfter: seconds("schedule", 5), ReadyAfter: seconds("ready", 30), TerminateAfter: seconds("terminate", 40),
		Jitter: seconds("jitter", 15), Seed: rapid.Uint64().Draw(t, "seed"),
	}
	// A ready pod that is not available yet may survive an available one, because
	// the order of deletion does not look at availability. So either all old pods
	// are available, or ready pods are available.
	if rapid.Bool().Draw(t, "interrupt") {
		s.Third = s.New
		s.Third.Template = template("third")
		s.Interrupt = 1 + seconds("interrupt after", 60)
	} else {
		s.New.MinReadySeconds = rapid.Int32Range(0, 20).Draw(t, "minReadySeconds")
	}
	return s
})

// check runs a scenario with a planner and returns the first property that does
// not hold.
func (s scenario) check(plan planner) error {
	start, err := Finished(s.Old)
	if err != nil {
		return err
	}
	start.Update(s.New)
	if s.Interrupt > 0 {
		result, err := s.run(start, plan, s.Interrupt)
		if err != nil {
			return err
		}
		start = result.Cluster
		start.Update(s.Third)
	}
	result, err := s.run(start, plan, s.bound())
	if err != nil {
		return err
	}
	if !result.Done {
		return fmt.Errorf("not complete after %v: %v", s.bound(), result.Steps[len(result.Steps)-1])
	}
	if err := atRest(result.Cluster, plan); err != nil {
		return err
	}
	again, err := s.run(start, plan, s.bound())
	if diff := cmp.Diff(result, again, cmpopts.IgnoreUnexported(Cluster{})); err != nil || diff != "" {
		return fmt.Errorf("another run differs: %v %s", err, diff)
	}
	return nil
}

// bound is the time within which the rollout is complete: each round of pods that
// start changes at least one pod, a few rounds more adapt the size.
func (s scenario) bound() time.Duration {
	k := s.Kubelet
	round := k.ScheduleAfter + k.ReadyAfter + k.TerminateAfter + 3*k.Jitter +
		time.Duration(s.New.MinReadySeconds)*time.Second + time.Second
	return time.Duration(2*max(*s.Old.Replicas, *s.New.Replicas)+4) * round
}

// run checks the bounds after every prefix of every plan and at every step.
func (s scenario) run(start Cluster, plan planner, limit time.Duration) (Result, error) {
	first, err := followed(start)
	if err != nil {
		return Result{}, err
	}
	atStart := first.step()
	within := func(b rollout.Budget, s Step) error {
		if most := max(b.MaxTotal(), atStart.Total); s.Total > most {
			return fmt.Errorf("%v: %d wanted, at most %d may be", s.Time, s.Total, most)
		}
		if least := min(b.MinAvailable(), atStart.Available); s.Available < least {
			return fmt.Errorf("%v: %d available, %d must be", s.Time, s.Available, least)
		}
		return nil
	}
	checked := func(snapshot deploy.Snapshot, now time.Time, opts deploy.Options) (deploy.Plan, error) {
		p, err := plan(snapshot, now, opts)
		for n := 1; err == nil && n <= len(p.Actions); n++ {
			var after Cluster
			if after, err = afterPrefix(snapshot, now, p.Actions[:n]); err == nil {
				step := after.step()
				step.Time = now.Sub(start.Now)
				err = within(p.Budget, step)
			}
			if err == nil && snapshot.Deployment.Strategy == deploy.Recreate {
				err = alone(after)
			}
		}
		return p, err
	}
	result, err := Run(start, Config{Kubelet: s.Kubelet, TimeLimit: limit, PlanDeployment: checked})
	for i := 0; err == nil && i < len(result.Steps); i++ {
		err = within(result.Bounds, result.Steps[i])
	}
	return result, err
}

// afterPrefix describes the cluster after the actions and what the ReplicaSets do
// about them, at the same instant.
func afterPrefix(s deploy.Snapshot, now time.Time, actions deploy.Actions) (Cluster, error) {
	after, err := actions.Apply(s, now)
	if err != nil {
		return Cluster{}, err
	}
	return followed(Cluster{Now: now, Deployment: after.Deployment, ReplicaSets: after.ReplicaSets, Pods: ptr.Each(after.Pods), serial: 1 << 30})
}

// followed returns the cluster after the ReplicaSets have followed their sizes, at the same
// instant. Nobody plans for the Deployment.
func followed(c Cluster) (Cluster, error) {
	r := begin(c, Config{PlanDeployment: func(s deploy.Snapshot, _ time.Time, _ deploy.Options) (deploy.Plan, error) {
		return deploy.Plan{Status: s.Deployment.Status}, nil
	}})
	for r.world.err == nil && r.world.act() {
	}
	return r.cluster(), r.world.err
}

func (c *Cluster) step() Step { return describe(ptr.Each(c.ReplicaSets), nil) }

func (c *Cluster) snapshot() deploy.Snapshot {
	return deploy.Snapshot{Deployment: c.Deployment, ReplicaSets: c.ReplicaSets, Pods: fill(nil, c.Pods)}
}

// alone reports pods of two templates, which Recreate never lets exist at once.
func alone(c Cluster) error {
	for _, p := range c.Pods {
		if p.ControllerUID != c.Pods[0].ControllerUID {
			return fmt.Errorf("pods of two templates: %s and %s", c.Pods[0].Name, p.Name)
		}
	}
	return nil
}

// atRest reports a planner that would go on, now or later.
func atRest(c Cluster, plan planner) error {
	for _, later := range []time.Duration{0, time.Hour, 24 * 365 * time.Hour} {
		p, err := plan(c.snapshot(), c.Now.Add(later), deploy.Options{})
		if err != nil {
			return err
		}
		if diff := cmp.Diff(c.Deployment.Status, p.Status); !p.Empty() || diff != "" || !p.RecheckAt.IsZero() {
			return fmt.Errorf("not at rest %v after the end: %v %s %v", later, p, diff, p.RecheckAt)
		}
		for i := range c.ReplicaSets {
			p, err := replicaset.Reconcile(replicaset.Snapshot{ReplicaSet: c.ReplicaSets[i], Pods: fill(nil, c.Pods)}, c.Now.Add(later), replicaset.Options{})
			if err != nil || len(p.Actions) > 0 {
				return fmt.Errorf("replica set not at rest: %v %w", p, err)
			}
		}
	}
	return nil
}

// TestProperties: at every step and after every prefix of every plan no more pods
// are wanted than the surge allows, and no fewer are available than must be, as far
// as the start allows; with Recreate no pods of two templates exist; the rollout is complete within a bound and then nothing more
// is planned; equal runs are equal.
func TestProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		if err := scenarios.Draw(t, "scenario").check(deploy.Reconcile); err != nil {
			t.Fatal(err)
		}
	})
}
