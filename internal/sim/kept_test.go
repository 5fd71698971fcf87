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
	for i := range c.Pods {
		switch p := &c.Pods[i]; rapid.IntRange(0, 9).Draw(t, "fate") {
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
	loop    *loop
	here    map[string]bool      // by UID: the pods of the last snapshot
	deleted map[string]time.Time // by UID
}

func (w *witness) plan(s replicaset.Snapshot, now time.Time, opts replicaset.Options) (replicaset.Plan, error) {
	for _, check := range []func() error{w.loop.cluster.checkIndex, func() error { return w.checkPods(s.Pods, now) }} {
		if err := check(); err != nil {
			return replicaset.Plan{}, fmt.Errorf("%v: %w", w.loop.elapsed(), err)
		}
	}
	p, err := replicaset.Reconcile(s, now, opts)
	for _, a := range p.Actions {
		if d, ok := a.(replicaset.DeletePod); ok {
			w.deleted[d.UID] = now
		}
	}
	return p, err
}

// checkPods reports a pod that ends before its time or stays behind it.
func (w *witness) checkPods(pods []podorder.Pod, now time.Time) error {
	k, here := &w.loop.Config.Kubelet, map[string]bool{}
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

// checkIndex compares the index with what the list of pods says.
func (c *Cluster) checkIndex() error {
	x, living := &c.index, 0
	for _, place := range x.places {
		if place != gone {
			living++
		}
	}
	if living != len(c.Pods) || len(x.numbers) != len(c.Pods) || x.ended != 0 {
		return fmt.Errorf("index of %d pods and %d numbers, %d of them gone, for %d pods", living, len(x.numbers), x.ended, len(c.Pods))
	}
	for i := range c.Pods {
		uid := c.Pods[i].UID
		if number := x.number(uid); number != x.numbers[i] || c.pod(number) != &c.Pods[i] {
			return fmt.Errorf("pod %s has number %d, and number %d is at its place", uid, number, x.numbers[i])
		}
		if i > 0 && x.numbers[i] < x.numbers[i-1] {
			return fmt.Errorf("pod %s is out of order", uid)
		}
	}
	return nil
}

// checkRest reports a ReplicaSet that rests and would do something, now or at another
// time than is noted.
func (l *loop) checkRest() error {
	for i := range l.cluster.ReplicaSets {
		rs := l.cluster.ReplicaSets[i]
		p, err := replicaset.Reconcile(replicaset.Snapshot{ReplicaSet: rs, Pods: l.cluster.Clone().Pods}, l.cluster.Now, l.ReplicaSetOptions)
		at, rested := l.rested[rs.UID]
		if diff := cmp.Diff(rs.Status, p.Status); err != nil || !rested || len(p.Actions) > 0 || diff != "" || !p.RecheckAt.Equal(at) {
			return fmt.Errorf("%v: replica set %s rests until %v (%v), but plans %v for %v %s: %w", l.elapsed(), rs.Name, at, rested, p, p.RecheckAt, diff, err)
		}
	}
	return nil
}

// Property: what a run keeps from one pass to the next is what a pass would find out
// anew. The index fits the pods, pods live as long as they should, and a ReplicaSet
// that nobody wakes has nothing to do: waking all of them every time changes nothing.
func TestKept(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := scenarios.Draw(t, "scenario")
		start, err := s.unsettled(t)
		if err != nil {
			t.Fatal(err)
		}
		config := Config{Kubelet: s.Kubelet, Latency: time.Duration(rapid.IntRange(0, 4).Draw(t, "latency")) * time.Second}
		l := newLoop(start, config)
		w := &witness{loop: l, deleted: map[string]time.Time{}}
		for _, p := range start.Pods {
			if !p.DeletionTimestamp.IsZero() {
				w.deleted[p.UID] = start.Now // the wait begins anew
			}
		}
		l.PlanReplicaSet = w.plan
		for more := true; more; {
			wake, err := l.settle()
			if err == nil {
				err = l.checkRest()
			}
			if err == nil {
				more, err = l.advance(wake)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		all := newLoop(start, config)
		all.PlanReplicaSet = func(s replicaset.Snapshot, now time.Time, opts replicaset.Options) (replicaset.Plan, error) {
			clear(all.rested)
			return replicaset.Reconcile(s, now, opts)
		}
		want, err := all.run()
		if diff := cmp.Diff(want, l.result(), cmpopts.IgnoreUnexported(Cluster{})); err != nil || diff != "" {
			t.Fatalf("waking all ReplicaSets leads elsewhere: %v %s", err, diff)
		}
	})
}
