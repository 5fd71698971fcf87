// SPDX-License-Identifier: Apache-2.0

package sim_test

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/internal/base/ptr"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/sim"
	"github.com/kplan-go/kplan/rollout/sim/cluster"
)

type deployPlanner = func(deploy.Snapshot, time.Time, deploy.Options) (deploy.Plan, error)

// An updating is a rollout from one finished Deployment to another, which a third may interrupt.
type updating struct {
	Old, New, Third deploy.Deployment
	Interrupt       time.Duration // when Third comes, or 0
	Times           cluster.Times
	Seed            uint64
	Round           time.Duration // what a pod takes at most to start in the place of another one
}

var updatings = rapid.Custom(func(t *rapid.T) updating {
	limit := func(name string) rollout.IntOrPercent {
		n := rapid.Int32Range(0, 10).Draw(t, name)
		if rapid.Bool().Draw(t, name+" percent") {
			return rollout.Percent(n * 10)
		}
		return rollout.Int(n)
	}
	u := updating{Seed: rapid.Uint64().Draw(t, "seed")}
	u.Old = webDeployment("old", rapid.Int32Range(0, 20).Draw(t, "replicas"))
	u.Old.ProgressDeadlineSeconds, u.Old.RevisionHistoryLimit = ptr.To(int32(600)), ptr.To(int32(10))
	u.Old.MaxSurge, u.Old.MaxUnavailable = limit("surge"), limit("unavailable")
	if rapid.IntRange(0, 3).Draw(t, "strategy") == 0 {
		u.Old.Strategy = deploy.Recreate
	}
	u.New = u.Old
	u.New.Template = revision.Template{ID: "new"}
	if rapid.Bool().Draw(t, "rescale") {
		u.New.Replicas = ptr.To(rapid.Int32Range(0, 20).Draw(t, "new replicas"))
	}
	u.someTimes(t)
	// A ready pod that is not available yet may survive an available one, because the order of deletion
	// does not look at availability. So either all old pods are available, or ready pods are available.
	if rapid.Bool().Draw(t, "interrupt") {
		u.Third = u.New
		u.Third.Template = revision.Template{ID: "third"}
		u.Interrupt = time.Duration(rapid.IntRange(1, 60).Draw(t, "interrupt after")) * time.Second
	} else {
		u.New.MinReadySeconds = rapid.Int32Range(0, 20).Draw(t, "minReadySeconds")
		u.Round += time.Duration(u.New.MinReadySeconds) * time.Second
	}
	return u
})

func (u *updating) someTimes(t *rapid.T) {
	seconds := func(name string, most int) time.Duration {
		return time.Duration(rapid.IntRange(0, most).Draw(t, name)) * time.Second
	}
	jitter := seconds("jitter", 15)
	some := func(name string, most int) cluster.Spread {
		least := seconds(name, most)
		u.Round += least + jitter
		return cluster.Between(least, least+jitter)
	}
	u.Times = cluster.Times{Schedule: some("schedule", 5), Ready: some("ready", 30), End: some("terminate", 40)}
	u.Round += time.Second
}

// bound is the time within which the rollout is complete: each round of pods that start changes at least
// one pod, a few rounds more adapt the size.
func (u *updating) bound() time.Duration {
	return time.Duration(2*max(*u.Old.Replicas, *u.New.Replicas)+4) * u.Round
}

// check runs an update with a planner and returns the first property that does not hold.
func (u *updating) check(plan deployPlanner) error {
	one, err := u.run(plan)
	if err != nil {
		return err
	}
	again, err := u.run(plan)
	if diff := cmp.Diff(one, again); err != nil || diff != "" {
		return fmt.Errorf("another run differs: %v %s", err, diff)
	}
	return nil
}

// run returns the plans of an update.
func (u *updating) run(plan deployPlanner) ([]string, error) {
	b := &bounded{plan: deploy.Reconcile}
	w, err := sim.New(cluster.Snapshot{}, sim.Config{Seed: u.Seed, Times: u.Times, PlanDeployment: b.reconcile})
	if err != nil {
		return nil, err
	}
	if b.world = w; w.Put(u.Old) != nil {
		return nil, fmt.Errorf("no world of %v", u.Old)
	}
	if _, err := w.Settle(24 * time.Hour); err != nil {
		return nil, err
	}
	b.begin(plan)
	wanted := u.New
	if err := w.Put(u.New); err != nil {
		return nil, err
	}
	if u.Interrupt > 0 {
		if err := w.Run(w.Now().Add(u.Interrupt)); err != nil {
			return nil, err
		}
		b.begin(plan)
		if wanted = u.Third; w.Put(u.Third) != nil {
			return nil, fmt.Errorf("no update to %v", u.Third)
		}
	}
	err = w.Run(w.Now().Add(u.bound()))
	if d := w.View().Deployment("web"); err == nil && !deploy.Complete(d.Status, *wanted.Replicas, d.Generation) {
		return nil, fmt.Errorf("not complete after %v: %v", u.bound(), d.Status)
	}
	if err != nil {
		return nil, err
	}
	return b.told, b.atRest()
}

// A bounded planner fails as soon as the plans of another one leave the bounds.
type bounded struct {
	world     *sim.World
	plan      deployPlanner
	begun     bool
	total     int32 // of the pods that are wanted, as it began
	available int32
	told      []string
}

// begin lets the bounds be those from now on: what there is already may stay.
func (b *bounded) begin(plan deployPlanner) {
	b.plan, b.begun = plan, true
	b.total, b.available = wantedAndAvailable(b.world.View().ReplicaSetsOf("web"))
}

func wantedAndAvailable(list []replicaset.ReplicaSet) (total, available int32) {
	for i := range list {
		total, available = total+*list[i].Replicas, available+list[i].Status.AvailableReplicas
	}
	return total, available
}

// within reports ReplicaSets of which more pods are wanted than may be, or fewer are available than must be.
func (b *bounded) within(budget rollout.Budget, list []replicaset.ReplicaSet) error {
	total, available := wantedAndAvailable(list)
	if most := max(budget.MaxTotal(), b.total); total > most {
		return fmt.Errorf("%d wanted, at most %d may be", total, most)
	}
	if least := min(budget.MinAvailable(), b.available); available < least {
		return fmt.Errorf("%d available, %d must be", available, least)
	}
	return nil
}

// reconcile checks the bounds before a plan and after every prefix of it.
func (b *bounded) reconcile(s deploy.Snapshot, now time.Time, o deploy.Options) (deploy.Plan, error) {
	p, err := b.plan(s, now, o)
	if err != nil || !b.begun {
		return p, err
	}
	text, err := json.Marshal(p.Status)
	b.told = append(b.told, fmt.Sprintf("%v %v %s", now, p, text))
	for n := 0; err == nil && n <= len(p.Actions); n++ {
		var after *sim.World
		if after, err = b.after(s, now, p.Actions[:n]); err != nil {
			break
		}
		err = b.within(p.Budget, after.View().ReplicaSetsOf("web"))
		if err == nil && s.Deployment.Strategy == deploy.Recreate {
			err = ofOneTemplate(after.View())
		}
	}
	return p, err
}

// after is the world as it is after actions and what the ReplicaSets do about them, at the same instant.
func (b *bounded) after(s deploy.Snapshot, now time.Time, actions deploy.Actions) (*sim.World, error) {
	after, err := actions.Apply(s, now)
	if err != nil {
		return nil, err
	}
	slow := cluster.Exactly(time.Hour)
	held := cluster.Snapshot{Now: now, ReplicaSets: after.ReplicaSets, Pods: values(b.world.View().Pods())}
	w, err := sim.New(held, sim.Config{Times: cluster.Times{Schedule: slow, Ready: slow, End: slow}})
	if err != nil {
		return nil, err
	}
	return w, w.Run(now)
}

// ofOneTemplate reports pods of two templates, which Recreate never lets exist at once.
func ofOneTemplate(v sim.View) error {
	pods := v.Pods()
	for _, p := range pods {
		if p.ControllerUID != pods[0].ControllerUID {
			return fmt.Errorf("pods of two templates: %s and %s", pods[0].Name, p.Name)
		}
	}
	return nil
}

// atRest reports a planner that would go on, now or later.
func (b *bounded) atRest() error {
	v := b.world.View()
	s := deploy.Snapshot{Deployment: *v.Deployment("web"), ReplicaSets: v.ReplicaSetsOf("web"), Pods: values(v.Pods())}
	s.Deployment.Template.Hash = s.Deployment.Template.ID
	for _, later := range []time.Duration{0, time.Hour, 24 * 365 * time.Hour} {
		p, err := b.plan(s, v.Now().Add(later), deploy.Options{})
		if err != nil {
			return err
		}
		if diff := cmp.Diff(s.Deployment.Status, p.Status); !p.Empty() || diff != "" || !p.RecheckAt.IsZero() {
			return fmt.Errorf("not at rest %v after the end: %v %s %v", later, p, diff, p.RecheckAt)
		}
		for _, rs := range s.ReplicaSets {
			p, err := replicaset.Reconcile(replicaset.Snapshot{ReplicaSet: rs, Pods: s.Pods}, v.Now().Add(later), replicaset.Options{})
			if err != nil || len(p.Actions) > 0 {
				return fmt.Errorf("replica set not at rest: %v %w", p, err)
			}
		}
	}
	return nil
}

// TestBounds: before each plan of a rollout and after every prefix of it no more pods are wanted than the surge
// allows, and no fewer are available than must be, as far as the start allows; with Recreate there are never
// pods of two templates. The rollout is complete within a bound and then nothing more is planned. Equal runs
// are equal.
func TestBounds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		u := updatings.Draw(t, "updating")
		if err := u.check(deploy.Reconcile); err != nil {
			t.Fatal(err)
		}
	})
}
