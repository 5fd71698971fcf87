// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/selector"
)

// unsettled returns a cluster at the beginning of a scenario, or in the middle of it, in
// which some pods have lost their controller or what it selects them by.
func (s scenario) unsettled(t *rapid.T) (Cluster, error) {
	if rapid.Bool().Draw(t, "selector") {
		s.Old.Selector, s.Old.TemplateLabels = selector.FromLabels(appWeb), appWeb
		s.New.Selector, s.New.TemplateLabels = s.Old.Selector, appWeb
		s.Third.Selector, s.Third.TemplateLabels = s.Old.Selector, appWeb
	}
	if rapid.Bool().Draw(t, "no history") {
		s.Old.RevisionHistoryLimit, s.New.RevisionHistoryLimit, s.Third.RevisionHistoryLimit = new(int32), new(int32), new(int32)
	}
	c, err := Finished(s.Old)
	if err != nil {
		return c, err
	}
	if rapid.Bool().Draw(t, "back") { // to the old template, perhaps with another size
		if s.Interrupt > 0 {
			s.Third.Template = s.Old.Template
		} else {
			s.New.Template = s.Old.Template
		}
	}
	c.Update(s.New)
	if s.Interrupt > 0 {
		r, err := Run(c, Config{Kubelet: s.Kubelet, TimeLimit: s.Interrupt})
		if err != nil {
			return c, err
		}
		c = r.Cluster
		c.Update(s.Third)
	}
	for _, p := range c.Pods {
		switch rapid.IntRange(0, 9).Draw(t, "fate") {
		case 0:
			p.ControllerKind, p.ControllerName, p.ControllerUID = "", "", ""
		case 1:
			p.Labels = map[string]string{"app": "other"}
		case 2:
			p.Labels = rapid.SampledFrom(c.ReplicaSets).Draw(t, "labels of").TemplateLabels
		case 3:
			p.Ready = false
		}
	}
	return c, nil
}

// A witness sees every snapshot and every plan of a ReplicaSet.
type witness struct {
	run     *run
	here    map[string]bool      // by UID: the pods of the last snapshot
	deleted map[string]time.Time // by UID
}

func (w *witness) plan(s replicaset.Snapshot, now time.Time, opts replicaset.Options) (replicaset.Plan, error) {
	pods := &w.run.world.store.pods
	for _, check := range []func() error{func() error { return checkTable(pods) }, func() error { return w.checkPods(s.Pods, now) }} {
		if err := check(); err != nil {
			return replicaset.Plan{}, fmt.Errorf("%v: %w", now.Sub(w.run.start), err)
		}
	}
	p, err := replicaset.Reconcile(s, now, opts)
	for _, a := range p.Actions {
		if d, ok := a.(replicaset.DeletePod); ok {
			if pod := pods.named(d.Name); pod.NodeName == "" {
				delete(w.here, d.UID) // it is gone at once
			}
			w.deleted[d.UID] = now
		}
	}
	return p, err
}

// checkPods reports a pod that ends before its time or stays behind it.
func (w *witness) checkPods(pods []podorder.Pod, now time.Time) error {
	k, here := &w.run.cfg.Kubelet, map[string]bool{}
	for i := range pods {
		uid := pods[i].UID
		here[uid] = true
		if at, ok := w.deleted[uid]; ok && at.Add(k.TerminateAfter+k.Jitter).Before(now) {
			return fmt.Errorf("pod %s was deleted at %v and is still there", uid, at)
		}
	}
	for uid := range w.here {
		if at, ok := w.deleted[uid]; !here[uid] && (!ok || at.Add(k.TerminateAfter).After(now)) {
			return fmt.Errorf("pod %s is gone", uid)
		}
	}
	w.here = here
	return nil
}

// checkTable compares what a table keeps of the places of pods with its rows.
func checkTable(t *table[podorder.Pod]) error {
	living := 0
	for _, place := range t.places {
		if place != gone {
			living++
		}
	}
	rows := t.all()
	t.list()
	if living != len(rows) || len(t.numbers) != len(rows) || len(t.names) != len(rows) || t.inPlace && len(t.values) != len(rows) {
		return fmt.Errorf("%d pods, %d numbers, %d names and %d values in %d rows", living, len(t.numbers), len(t.names), len(t.values), len(rows))
	}
	for i, p := range rows {
		number := t.number(p.Name)
		if number != t.numbers[i] || t.numbered(number) != p || t.inPlace && p != &t.values[i] {
			return fmt.Errorf("pod %s has number %d, and number %d is at its place", p.Name, number, t.numbers[i])
		}
		if i > 0 && t.numbers[i] < t.numbers[i-1] {
			return fmt.Errorf("pod %s is out of order", p.Name)
		}
	}
	return nil
}

// replicaSets returns the controller of ReplicaSets.
func (r *run) replicaSets() *controller { return r.world.controllers[0] }

// checkRest reports a ReplicaSet that rests and would do something, now or at another
// time than is noted.
func (r *run) checkRest() error {
	now, c := r.world.now, r.cluster()
	for _, rs := range c.ReplicaSets {
		p, err := replicaset.Reconcile(replicaset.Snapshot{ReplicaSet: rs, Pods: fill(nil, c.Pods)}, now, r.cfg.ReplicaSetOptions)
		at := r.replicaSets().queue.item(rs.Name).alarm
		if !at.After(now) {
			at = time.Time{} // it is over
		}
		if diff := cmp.Diff(rs.Status, p.Status); err != nil || len(p.Actions) > 0 || diff != "" || !p.RecheckAt.Equal(at) {
			return fmt.Errorf("%v: replica set %s rests until %v, but plans %v for %v %s: %w", now.Sub(r.start), rs.Name, at, p, p.RecheckAt, diff, err)
		}
	}
	return nil
}

// Property: what a run keeps from one pass to the next is what a pass would find out
// anew. The table fits the pods, pods live as long as they should, and a ReplicaSet
// or Deployment that nobody wakes has nothing to do: waking all of them every time changes nothing.
func TestKept(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := scenarios.Draw(t, "scenario")
		start, err := s.unsettled(t)
		if err != nil {
			t.Fatal(err)
		}
		config := Config{Kubelet: s.Kubelet, TimeLimit: 24 * time.Hour, Latency: time.Duration(rapid.IntRange(0, 4).Draw(t, "latency")) * time.Second}
		w := &witness{deleted: map[string]time.Time{}}
		for _, p := range start.Pods {
			if !p.DeletionTimestamp.IsZero() {
				w.deleted[p.UID] = start.Now // the wait begins anew
			}
		}
		config.PlanReplicaSet = w.plan
		w.run = begin(start, config)
		if err := w.run.whole((*run).checkRest); err != nil {
			t.Fatal(err)
		}
		config.PlanReplicaSet = nil
		all := begin(start, config)
		err = all.whole(func(r *run) error {
			for _, c := range r.world.controllers {
				c.resync()
			}
			for r.world.err == nil && r.world.act() {
			}
			return r.world.err
		})
		if diff := cmp.Diff(all.result(), w.run.result(), cmpopts.IgnoreUnexported(Cluster{})); err != nil || diff != "" {
			t.Fatalf("waking all leads elsewhere: %v %s", err, diff)
		}
	})
}

// whole runs to the end, with a look at each instant at which nothing is left to do.
func (r *run) whole(look func(*run) error) error {
	w := r.world
	w.deadline, w.latency = w.now.Add(r.cfg.TimeLimit), r.cfg.Latency
	for more := true; more; more = w.moveOn() {
		for w.err == nil && w.act() {
		}
		if w.err != nil {
			return w.err
		}
		if err := look(r); err != nil {
			return err
		}
	}
	return w.err
}
