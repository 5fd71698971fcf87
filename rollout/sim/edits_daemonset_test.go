// SPDX-License-Identifier: Apache-2.0

package sim_test

import (
	"fmt"
	"math"
	"slices"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/daemonset/quirk"
	"github.com/kplan-go/kplan/internal/base/ptr"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/sim"
	"github.com/kplan-go/kplan/rollout/sim/cluster"
	"github.com/kplan-go/kplan/rollout/sim/internal/apiserver"
	"github.com/kplan-go/kplan/rollout/sim/internal/store"
	"github.com/kplan-go/kplan/selector"
)

// labelHold is what the hook of a DaemonSet looks for.
const labelHold = "hold"

// templateOfDaemons is the template of a DaemonSet. It runs an image that has its name.
func templateOfDaemons(id string) daemonset.Template {
	data := `{"spec":{"template":{"metadata":{"labels":{"app":"web"}},"spec":{"containers":[{"name":"app","image":"app:` + id + `"}]}}}}`
	return daemonset.Template{Hash: id, Data: []byte(data), Labels: map[string]string{"app": "web"}}
}

// someDaemonSet is one that a person creates.
func (e *editor) someDaemonSet() daemonset.DaemonSet {
	d := webDaemonSet("a")
	d.UID, d.Template = "", templateOfDaemons(e.someTemplate(false).ID)
	e.someUpdates(&d)
	if e.IntN(4) == 0 {
		d.MinReadySeconds = e.Int32N(6)
	}
	if e.IntN(3) == 0 {
		d.RevisionHistoryLimit = ptr.To(e.Int32N(3))
	}
	if e.IntN(4) == 0 {
		d.Burst = rollout.Int(e.Int32N(3) + 1)
	}
	return d
}

// someUpdates are how a DaemonSet is updated.
func (e *editor) someUpdates(d *daemonset.DaemonSet) {
	d.MaxSurge, d.MaxUnavailable, d.Strategy = rollout.IntOrPercent{}, e.someLimit(), daemonset.RollingUpdate
	if e.IntN(3) == 0 {
		d.MaxSurge, d.MaxUnavailable = e.someLimit(), rollout.Int(0)
	}
	if e.IntN(6) == 0 {
		d.Strategy = daemonset.OnDelete
	}
	types := []daemonset.RollingType{daemonset.InPlaceIfPossible, daemonset.InPlaceIfPossible, daemonset.Surging}
	d.RollingType = append(types, make([]daemonset.RollingType, 5)...)[e.IntN(8)]
}

// someDaemonSetOptions are options that lead to a finished rollout.
func (e *editor) someDaemonSetOptions(dialect daemonset.Dialect) daemonset.Options {
	pick := func() bool { return e.IntN(3) == 0 }
	o := daemonset.Options{Repair: quirk.All, Dialect: dialect}
	if pick() {
		o.Prune, o.BindDirectly, o.StrictUnavailable = pick(), pick(), pick()
		o.KeepHealthyDuplicate, o.KeepUserTolerations, o.PartitionCreatesOld = pick(), pick(), pick()
		o.SkipDeadNodes = e.Int32N(2)
	}
	return o
}

func (e *editor) someNode() cluster.Node {
	e.serial++
	zone := string(rune('a' + e.IntN(2)))
	return cluster.Node{Node: daemonset.Node{Name: fmt.Sprint("n", e.serial), Labels: map[string]string{"zone": zone}}, Zone: zone}
}

// beginDaemonSet is a DaemonSet on some nodes.
func (e *editor) beginDaemonSet() (s cluster.Snapshot) {
	for range e.IntN(6) + 1 {
		s.Nodes = append(s.Nodes, e.someNode())
	}
	s.DaemonSets = []daemonset.DaemonSet{e.someDaemonSet()}
	return s
}

func editDaemonSet(name string, weight float64, f func(*editor, *store.DaemonSet)) edit {
	return edit{name, weight, func(e *editor) {
		change(e, &e.server.DaemonSets, func(d *store.DaemonSet) { f(e, d); d.Generation++ })
	}}
}

var daemonSetEdits = []edit{
	editDaemonSet("template", 2, func(e *editor, d *store.DaemonSet) {
		d.TemplateID = e.someTemplate(false).ID // of which the hash is computed
		d.Template = templateOfDaemons(d.TemplateID)
	}),
	editDaemonSet("strategy", 0.7, func(e *editor, d *store.DaemonSet) { e.someUpdates(&d.DaemonSet) }),
	editDaemonSet("pause", 0.5, func(_ *editor, d *store.DaemonSet) { d.Paused = !d.Paused }),
	editDaemonSet("partition", 0.7, func(e *editor, d *store.DaemonSet) {
		d.Partition, d.Progressive = rollout.Int(e.Int32N(5)), e.IntN(3) == 0
		if e.IntN(3) == 0 {
			d.Partition = rollout.Percent(e.Int32N(101))
		}
	}),
	editDaemonSet("hook", 0.5, func(_ *editor, d *store.DaemonSet) {
		if d.PreDelete != nil {
			d.PreDelete = nil
			return
		}
		d.PreDelete = &daemonset.PreDelete{Labels: map[string]string{labelHold: "yes"}}
	}),
	{"hooked pod", 0.7, func(e *editor) {
		changeAny(e, &e.server.Pods, func(p *store.Pod) {
			p.Labels = labelled(p.Labels, labelHold, toggled(p.Labels[labelHold], "yes", "no"))
		})
	}},
	editDaemonSet("nodes that count", 0.3, func(e *editor, d *store.DaemonSet) {
		d.NodeSelector = nil
		if e.IntN(2) == 0 {
			d.NodeSelector = selector.FromLabels(map[string]string{"zone": "a"})
		}
	}),
	editDaemonSet("nodes of the template", 0.3, func(e *editor, d *store.DaemonSet) {
		d.Template.NodeSelector = nil
		if e.IntN(2) == 0 {
			d.Template.NodeSelector = map[string]string{"zone": "a"}
		}
	}),
	editDaemonSet("no limit", 0.2, func(_ *editor, d *store.DaemonSet) { d.MaxUnavailable, d.MaxSurge = rollout.Int(0), rollout.Int(0) }),
	editDaemonSet("largest limit", 0.2, func(_ *editor, d *store.DaemonSet) {
		d.MaxUnavailable, d.MaxSurge = rollout.Int(math.MaxInt32), rollout.Int(0)
	}),
	{"number of a revision", 0.4, func(e *editor) {
		changeAny(e, &e.server.Revisions, func(r *revision.ControllerRevision) { r.Revision = e.Int64N(9) })
	}},
	{"orphaned revision", 0.3, func(e *editor) {
		changeAny(e, &e.server.Revisions, func(r *revision.ControllerRevision) {
			r.ControllerKind, r.ControllerName, r.ControllerUID = "", "", ""
		})
	}},
	{"replaced", 0.2, func(e *editor) {
		e.w.Delete(sim.KindDaemonSet, "web")
		e.put(e.someDaemonSet())
	}},
	{"options", 0.5, func(e *editor) {
		_, env, _ := e.w.Inside()
		if env.DaemonSet = e.someDaemonSetOptions(env.DaemonSet.Dialect); e.IntN(2) != 0 {
			env.DaemonSet.Repair = 0
		}
	}},
	{"node added", 0.8, func(e *editor) {
		if e.server.Nodes.Len() < 7 {
			e.put(e.someNode())
		}
	}},
	{"node removed", 0.4, func(e *editor) {
		if rows := e.server.Nodes.All(); len(rows) > 0 {
			e.w.Delete(sim.KindNode, rows[e.IntN(len(rows))].Name)
		}
	}},
	{"node tainted", 0.5, func(e *editor) {
		effect := []daemonset.Effect{daemonset.NoSchedule, daemonset.NoExecute, daemonset.PreferNoSchedule}[e.IntN(3)]
		changeAny(e, &e.server.Nodes, func(n *store.Node) {
			others := slices.DeleteFunc(slices.Clone(n.Taints), func(t daemonset.Taint) bool { return t.Key == "team" && t.Effect == effect })
			if len(others) == len(n.Taints) {
				others = append(others, daemonset.Taint{Key: "team", Value: "x", Effect: effect})
			}
			n.Taints = others
		})
	}},
}

// healDaemonSets makes the wanted state one that can be reached.
func (e *editor) healDaemonSets() {
	_, env, _ := e.w.Inside()
	env.DaemonSet = e.someDaemonSetOptions(env.DaemonSet.Dialect)
	if e.server.Nodes.Len() == 0 {
		e.put(e.someNode())
	}
	for _, p := range e.server.Pods.All() {
		if p.Labels[labelHold] == "yes" {
			e.server.ChangePod(apiserver.By(store.User, p.Name), func(p *store.Pod) { p.Labels = labelled(p.Labels, labelHold, "no") })
		}
	}
	change(e, &e.server.DaemonSets, func(d *store.DaemonSet) {
		d.Paused, d.Partition, d.NodeSelector, d.Strategy = false, rollout.IntOrPercent{}, nil, daemonset.RollingUpdate
		d.Generation++
	})
}

// checkDaemonSet tells what is wrong with a DaemonSet that should be finished.
func (e *editor) checkDaemonSet() error {
	_, env, _ := e.w.Inside()
	d, hash := e.server.DaemonSets.All()[0], ""
	placer := daemonset.NewPlacer(&d.Template, env.DaemonSet)
	for _, r := range e.server.Revisions.Of(d.UID) {
		if string(r.Data) == string(d.Template.Data) {
			hash = r.Labels[daemonset.LabelHash]
		}
	}
	for _, n := range e.server.Nodes.All() {
		place, pods := placer.Place(&n.Node.Node), 0
		for _, p := range e.server.Pods.Of(d.UID) {
			if p.NodeName != n.Name || !p.Active() {
				continue
			}
			pods++
			switch {
			case place.ShouldRun && p.Labels[daemonset.LabelHash] != hash:
				return fmt.Errorf("node %s: pod %s has hash %s, wanted is %s", n.Name, p.Name, p.Labels[daemonset.LabelHash], hash)
			case place.ShouldRun && !p.Available(d.MinReadySeconds, e.w.Now()):
				return fmt.Errorf("node %s: pod %s is not available", n.Name, p.Name)
			case !place.ShouldContinueRunning:
				return fmt.Errorf("node %s: pod %s should not run", n.Name, p.Name)
			}
		}
		if pods > 1 || pods == 0 && place.ShouldRun {
			return fmt.Errorf("node %s: %d pods", n.Name, pods)
		}
	}
	return nil
}
