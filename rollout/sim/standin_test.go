// SPDX-License-Identifier: Apache-2.0

package sim_test

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/daemonset/daemonsettest"
	"github.com/kplan-go/kplan/daemonset/quirk"
	"github.com/kplan-go/kplan/internal/base/ptr"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/plantest"
	"github.com/kplan-go/kplan/rollout/sim"
	"github.com/kplan-go/kplan/rollout/sim/cluster"
	"github.com/kplan-go/kplan/rollout/workload"
)

// ownDaemons is a controller of DaemonSets of somebody's own, who plans with a function and writes
// what has changed in the objects that the plan makes of those that it sees.
func ownDaemons(plan plantest.Planner[daemonset.Snapshot, daemonset.Options, daemonset.Plan]) sim.Reconciler {
	backoff := map[string]daemonset.Backoff{}
	// A node that changes is controlled by nobody, so that it looks after any change.
	return sim.Reconciler{Name: "own", For: sim.KindDaemonSet, All: true, Forget: func() { clear(backoff) }, Reconcile: func(v sim.View, name string) (writes []sim.Write, again time.Duration, err error) {
		d := v.DaemonSet(name)
		if d == nil {
			return nil, 0, nil
		}
		before := seenOf(v, d)
		before.Backoff = backoff[name]
		p, err := plan(before, v.Now(), daemonset.Options{Repair: quirk.All})
		if err != nil {
			return nil, 0, err
		}
		backoff[name] = p.Backoff
		after, err := p.Apply(before, v.Now())
		writes = differences(before.Revisions, after.Revisions, func(r *revision.ControllerRevision) (string, bool) { return r.Name, false })
		writes = append(writes, differences(before.Pods, after.Pods, func(p *daemonset.Pod) (string, bool) { return p.Name, !p.DeletionTimestamp.IsZero() })...)
		if !reflect.DeepEqual(after.DaemonSet.Status, d.Status) {
			writes = append(writes, sim.Write{Verb: sim.UpdateStatus, Object: &after.DaemonSet})
		}
		if !p.RecheckAt.IsZero() {
			again = p.RecheckAt.Sub(v.Now())
		}
		return writes, again, err
	}}
}

// seenOf is what a controller of a DaemonSet sees.
func seenOf(v sim.View, d *daemonset.DaemonSet) daemonset.Snapshot {
	s := daemonset.Snapshot{DaemonSet: *d, Pods: append(v.DaemonPodsOf(d.UID), v.DaemonPodsOf("")...), Revisions: append(v.RevisionsOf(d.UID), v.RevisionsOf("")...)}
	for _, n := range v.Nodes() {
		s.Nodes = append(s.Nodes, n.Node)
	}
	return s
}

// differences are the writes that make one list of objects the other. What is going is deleted.
func differences[T any](before, after []T, of func(*T) (name string, going bool)) (writes []sim.Write) {
	there := map[string]*T{}
	for i := range before {
		name, _ := of(&before[i])
		there[name] = &before[i]
	}
	for i := range after {
		name, going := of(&after[i])
		old := there[name]
		switch delete(there, name); {
		case old == nil:
			writes = append(writes, sim.Write{Verb: sim.Create, Object: &after[i]})
		case reflect.DeepEqual(*old, after[i]):
		case going:
			writes = append(writes, sim.Write{Verb: sim.Delete, Object: old})
		default:
			writes = append(writes, sim.Write{Verb: sim.Update, Object: &after[i]})
		}
	}
	for _, name := range slices.Sorted(maps.Keys(there)) {
		writes = append(writes, sim.Write{Verb: sim.Delete, Object: there[name]})
	}
	return writes
}

// ownSets is a small controller of StatefulSets: it creates pods in order, each when those before
// it are ready, and replaces old ones from the last on.
func ownSets() sim.Reconciler {
	return sim.Reconciler{Name: "own", For: sim.KindSet, Reconcile: func(v sim.View, name string) (writes []sim.Write, _ time.Duration, _ error) {
		s := v.Set(name)
		if s == nil {
			return nil, 0, nil
		}
		update, pods := name+"-"+s.Template.ID, map[string]*podorder.Pod{}
		after := *s
		after.UpdateRevision, after.Status = update, workload.Status{ObservedGeneration: s.Generation}
		count := &after.Status
		for _, p := range v.PodsOf(s.UID) {
			pods[p.Name] = &p
			count.Replicas++
			if ready := p.Ready && p.Phase == podorder.Running; ready {
				count.ReadyReplicas, count.AvailableReplicas = count.ReadyReplicas+1, count.AvailableReplicas+1
				if p.Active() && p.Labels[workload.LabelControllerRevision] == update {
					count.UpdatedReadyReplicas++
				}
			}
			if p.DeletionTimestamp.IsZero() && p.Labels[workload.LabelControllerRevision] == update {
				count.UpdatedReplicas++
			}
		}
		if count.UpdatedReadyReplicas == *s.Replicas && count.Replicas == *s.Replicas || s.StableRevision == "" {
			after.StableRevision = update
		}
		if w := nextOfSet(s, update, pods); w.Verb != "" {
			writes = append(writes, w)
		}
		if !reflect.DeepEqual(after, *s) {
			writes = append(writes, sim.Write{Verb: sim.UpdateStatus, Object: &after})
		}
		return writes, 0, nil
	}}
}

// nextOfSet is the one write to the pods of a set that comes next.
func nextOfSet(s *cluster.Set, update string, pods map[string]*podorder.Pod) sim.Write {
	ordinal := func(i int32) string { return fmt.Sprint(s.Name, "-", i) }
	for i := range *s.Replicas {
		p := pods[ordinal(i)]
		switch {
		case p == nil:
			return sim.Write{Verb: sim.Create, Object: &podorder.Pod{
				Name: ordinal(i), Labels: map[string]string{"app": "web", workload.LabelControllerRevision: update},
				ControllerKind: "StatefulSet", ControllerName: s.Name, ControllerUID: s.UID,
			}}
		case p.Finished():
			return sim.Write{Verb: sim.Delete, Object: p}
		case !p.Active() || !p.Ready:
			if p.Active() && p.Labels[workload.LabelControllerRevision] != update {
				return sim.Write{Verb: sim.Delete, Object: p} // it may never become ready
			}
			return sim.Write{}
		}
	}
	for i := int32(len(pods)) + *s.Replicas; i >= 0; i-- {
		if p := pods[ordinal(i)]; p != nil && (i >= *s.Replicas || p.Labels[workload.LabelControllerRevision] != update) {
			return sim.Write{Verb: sim.Delete, Object: p}
		}
	}
	return sim.Write{}
}

// end is what a world has come to: what runs, by node or name, and what is reported.
func end(v sim.View) (lines []string) {
	for _, p := range v.DaemonPods() {
		lines = append(lines, fmt.Sprint(p.NodeName, " ", p.Labels[daemonset.LabelHash], p.Ready, p.DeletionTimestamp.IsZero()))
	}
	for _, p := range v.Pods() {
		lines = append(lines, fmt.Sprint(p.Name, " ", p.Labels[workload.LabelControllerRevision], p.Ready, p.DeletionTimestamp.IsZero()))
	}
	slices.Sort(lines)
	lines = append(lines, fmt.Sprint(len(v.RevisionsOf("web")), " revisions"))
	for _, d := range v.DaemonSets() {
		lines = append(lines, fmt.Sprintf("%+v", d.Status))
	}
	for _, s := range v.Sets() {
		lines = append(lines, fmt.Sprintf("%+v %s %s", s.Status, s.StableRevision, s.UpdateRevision))
	}
	return lines
}

// statefulSet is that of Kubernetes.
func statefulSet(i int) cluster.Set {
	s := webSet(template(i), size(i))
	s.Ref, s.RollingUpdate = workload.Ref{APIVersion: "apps/v1", Kind: "StatefulSet", Name: "web"}, nil
	return s
}

// ownClones is a controller of sets of one pod, which is updated in place.
func ownClones() sim.Reconciler {
	return sim.Reconciler{Name: "own", For: sim.KindSet, Reconcile: func(v sim.View, name string) (writes []sim.Write, _ time.Duration, _ error) {
		s := v.Set(name)
		pods, wanted := v.PodsOf(s.UID), name+"-"+s.Template.ID
		if len(pods) == 0 {
			writes = []sim.Write{{Verb: sim.Create, Object: &podorder.Pod{ControllerName: name, ControllerUID: s.UID}}}
		}
		for i := range pods {
			if pods[i].Labels[workload.LabelControllerRevision] != wanted {
				pods[i].Labels = map[string]string{workload.LabelControllerRevision: wanted}
				writes = append(writes, sim.Write{Verb: sim.Update, Object: &pods[i]})
			}
		}
		return writes, 0, nil
	}}
}

// TestStandInInPlace: what a controller of somebody's own changes of pods that run lets them start
// again: those of a DaemonSet of OpenKruise behind a gate, and those of a set.
func TestStandInInPlace(t *testing.T) {
	kruise := daemonset.Options{Repair: quirk.All, Dialect: daemonset.OpenKruise}
	daemons := ownDaemons(func(s daemonset.Snapshot, now time.Time, _ daemonset.Options) (daemonset.Plan, error) {
		return daemonset.Reconcile(s, now, kruise)
	})
	daemon := func(image string) any {
		d := webDaemonSet(image)
		d.RollingType, d.MaxUnavailable = daemonset.InPlaceIfPossible, rollout.Int(3)
		d.Template.Data = []byte(`{"spec":{"template":{"spec":{"containers":[{"name":"app","image":"` + image + `"}]}}}}`)
		return d
	}
	for _, row := range []struct {
		kind  sim.Kind
		own   sim.Reconciler
		state func(image string) any
		pods  int
	}{
		{sim.KindDaemonSet, daemons, daemon, 3},
		{sim.KindSet, ownClones(), func(image string) any { return webSet(image, 1) }, 1},
	} {
		deleted, unready, ready := 0, 0, map[string]bool{}
		var w *sim.World
		w = newWorld(t, cluster.Snapshot{Nodes: equalNodes(3, 5)}, sim.Config{
			Times: cluster.Times{Start: cluster.Exactly(time.Minute), Ready: cluster.Exactly(time.Second)}, Controllers: []sim.Reconciler{row.own}, Without: []sim.Kind{row.kind},
			Observe: func(c sim.Change) {
				if c.Kind != sim.KindPod || c.By == "user" {
					return
				}
				if c.Verb == sim.Delete {
					deleted++
				}
				for _, p := range running(w.View()) {
					if ready[p.Name] && !p.Ready {
						unready++
					}
					ready[p.Name] = p.Ready
				}
			},
		})
		var begun time.Time
		for _, image := range []string{"v1", "v2"} {
			begun = w.Now()
			require.NoError(t, w.Put(row.state(image)))
			settled(t, w)
		}
		pods := running(w.View())
		require.Len(t, pods, row.pods, row.kind)
		for _, p := range pods {
			require.True(t, p.Ready, row.kind)
			require.True(t, strings.HasPrefix(p.Name, "web-"), "the store has given it a name")
			require.Contains(t, []string{p.Labels[daemonset.LabelHash], p.Labels[workload.LabelControllerRevision]}, map[sim.Kind]string{sim.KindDaemonSet: "v2", sim.KindSet: "web-v2"}[row.kind])
		}
		require.Equal(t, []int{0, row.pods}, []int{deleted, unready}, row.kind)
		require.True(t, w.Now().After(begun), "that takes time")
		for _, p := range w.View().DaemonPods() {
			require.Equal(t, "v2", p.Containers[0].Status.Image, "the node has pulled it")
		}
	}
}

// running are the pods of all kinds.
func running(v sim.View) []*podorder.Pod {
	pods := v.Pods()
	for _, p := range v.DaemonPods() {
		pods = append(pods, &p.Pod)
	}
	return pods
}

// shortHistoryDaemonSet is a DaemonSet that keeps one old revision.
func shortHistoryDaemonSet(i int) any {
	d := webDaemonSet(template(i))
	d.RevisionHistoryLimit = ptr.To(int32(1))
	return d
}

// TestStandIn: somebody's own controllers of DaemonSets and sets, instead of ours and beside them,
// come to the same end under all faults.
func TestStandIn(t *testing.T) {
	rows := []struct {
		name  string
		kind  sim.Kind
		own   func() sim.Reconciler
		state func(i int) any
		lines int // of the end: a pod each, and the status
	}{
		{"DaemonSet", sim.KindDaemonSet, func() sim.Reconciler { return ownDaemons(daemonset.Reconcile) }, shortHistoryDaemonSet, 10},
		{"StatefulSet", sim.KindSet, ownSets, func(i int) any { return statefulSet(i) }, 16},
	}
	for _, row := range rows {
		for i := range scenarios {
			s := scenarios[i]
			s.every, s.faultsFor = time.Minute, 5*time.Minute
			t.Run(row.name+"/"+s.name, func(t *testing.T) {
				ends := map[string][]string{}
				for name, own := range map[string]stranger{"ours": {}, "instead": {row.own, []sim.Kind{row.kind}}, "beside": {row.own, nil}} {
					s.own = own
					s.run(t, &subject{
						begin:  func() []any { return []any{row.state(0)} },
						change: func(i int) []any { return []any{row.state(i)} },
						check:  func(_ *testing.T, v sim.View) { ends[name] = end(v) },
					}, uint64(i), nil)
				}
				require.Len(t, ends["ours"], row.lines)
				require.Equal(t, ends["ours"], ends["instead"])
				require.Equal(t, ends["ours"], ends["beside"])
			})
		}
	}
}

// A finding is a test that notes what it is told, and goes on.
type finding struct {
	rapid.TB
	told []string
}

func (f *finding) Helper()                   {}
func (f *finding) Logf(string, ...any)       {}
func (f *finding) Errorf(s string, a ...any) { f.told = append(f.told, fmt.Sprintf(s, a...)) }
func (f *finding) Fatalf(s string, a ...any) { f.Errorf(s, a...) }
func (f *finding) Fatal(a ...any)            { f.Errorf("%s", fmt.Sprint(a...)) }
func (f *finding) Error(a ...any)            { f.Fatal(a...) }

// TestStandInBug: the checks of package daemonsettest look at what a controller of somebody's own
// has written in a world, and find the one that lets a node more be without its pod.
func TestStandInBug(t *testing.T) {
	greedy := func(s daemonset.Snapshot, now time.Time, o daemonset.Options) (daemonset.Plan, error) {
		s.DaemonSet.MaxUnavailable = rollout.Int(3)
		return daemonset.Reconcile(s, now, o)
	}
	for name, plan := range map[string]plantest.Planner[daemonset.Snapshot, daemonset.Options, daemonset.Plan]{"": daemonset.Reconcile, "unavailable": greedy} {
		found := &finding{TB: t}
		var w *sim.World
		var c plantest.Change[daemonset.Snapshot, daemonset.Options]
		own := ownDaemons(plan)
		reconcile := own.Reconcile
		passes := 0
		own.Reconcile = func(v sim.View, name string) ([]sim.Write, time.Duration, error) {
			if passes++; passes > 1 {
				daemonsettest.Kit().CheckChange(found, c)
			}
			c = plantest.Change[daemonset.Snapshot, daemonset.Options]{Before: seenOf(v, v.DaemonSet(name)), Now: v.Now(), Options: daemonset.Options{Repair: quirk.All}}
			c.After = c.Before
			return reconcile(v, name)
		}
		observe := func(e sim.Change) {
			if e.By == own.Name {
				c.After = seenOf(w.View(), w.View().DaemonSet("web"))
			}
		}
		w = newWorld(t, cluster.Snapshot{Nodes: equalNodes(8, 5)}, sim.Config{
			Controllers: []sim.Reconciler{own}, Without: []sim.Kind{sim.KindDaemonSet}, Observe: observe, Times: lives,
		})
		for i := range 3 {
			require.NoError(t, w.Put(webDaemonSet(template(i))))
			done, err := w.Settle(time.Hour)
			require.NoError(t, err)
			require.True(t, done)
		}
		require.Greater(t, passes, 30)
		require.Equal(t, name != "", len(found.told) > 0)
	}
}
