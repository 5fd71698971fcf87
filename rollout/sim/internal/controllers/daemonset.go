// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/replicaset/expect"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/rollout/sim/internal/control"
	"github.com/kplan-go/kplan/rollout/sim/internal/store"
	"github.com/kplan-go/kplan/rollout/workload"
)

// A daemonSetController carries out the plans of package daemonset. It keeps its expectations in
// memory, how long failed pods wait, and some controllers the versions that they have written.
type daemonSetController struct {
	*control.Controller
	env      *Env
	expected expectations
	backoff  map[string]daemonset.Backoff
	versions map[string]expect.Versions // nil if they are not looked at
	tracked  trackedDaemonSets
}

// newDaemonSetController returns a controller of DaemonSets.
func newDaemonSetController(env *Env, instance int) *control.Controller {
	c := &daemonSetController{
		env: env, tracked: trackedDaemonSets{}, expected: expectations{}, backoff: map[string]daemonset.Backoff{},
	}
	if !env.Trouble.Calm() && env.Trouble.IntN(2) == 0 {
		c.versions = map[string]expect.Versions{}
	}
	c.Controller = control.New(env.Server, c, store.DaemonSetController, instance,
		store.KindDaemonSet, store.KindNode, store.KindPod, store.KindRevision)
	return c.Controller
}

// Forget implements control.Worker.
func (c *daemonSetController) Forget() {
	clear(c.expected)
	clear(c.backoff)
	clear(c.versions)
}

// Keys implements control.Worker.
func (c *daemonSetController) Keys() []string { return names(c.Controller, &c.DaemonSets) }

// Watch enters the changed DaemonSets, and the DaemonSets that a changed pod, revision or node
// concerns.
func (c *daemonSetController) Watch() {
	control.Each(c.Controller, &c.DaemonSets, func(e store.Change[store.DaemonSet]) {
		if e.Old != nil && (e.New == nil || e.Old.UID != e.New.UID) {
			delete(c.expected, e.Old.Name)
			c.tracked.drop(e.Old.UID)
		}
		if e.New != nil {
			c.Enter(e.New.Name)
		}
	})
	control.EachTold(c.Controller, &c.Server.Pods, c.podChanged)
	control.EachTold(c.Controller, &c.Revisions, func(old, r *revision.ControllerRevision) {
		for _, r := range [...]*revision.ControllerRevision{old, r} {
			if r != nil {
				c.enterOwner(r.Name, r.ControllerKind, r.ControllerName, r.ControllerUID)
			}
		}
	})
	control.EachTold(c.Controller, &c.Nodes, c.nodeChanged)
}

// enterOwner enters the DaemonSet of an object, or all of its namespace if it has no owner.
func (c *daemonSetController) enterOwner(name, kind, owner, uid string) {
	switch {
	case kind == daemonset.Kind:
		c.Enter(owner)
	case uid == "":
		for _, d := range within(&c.DaemonSets, control.All(c.Controller, &c.DaemonSets), name) {
			c.Enter(d.Name)
		}
	}
}

// podChanged lowers expectations, and enters the DaemonSets that a changed pod concerns.
func (c *daemonSetController) podChanged(old, p *store.Pod) {
	c.Fail(c.tracked.podChanged(old, p))
	var sets []daemonset.DaemonSet
	for _, p := range [...]*store.Pod{old, p} {
		switch {
		case p == nil:
		case p.ControllerUID == "":
			sets = c.sets(p)
		case p.ControllerKind == daemonset.Kind:
			d := control.See(c.Controller, &c.DaemonSets, p.ControllerName)
			if d != nil && !slices.ContainsFunc(sets, func(o daemonset.DaemonSet) bool { return o.UID == d.UID }) {
				sets = append(sets, d.DaemonSet)
			}
		}
	}
	if len(sets) > 0 {
		c.effects(daemonset.Change{Pod: daemonset.PodEvent{Old: daemonPod(old), New: daemonPod(p)}}, sets, c.env.DaemonSet)
	}
}

// sets returns the DaemonSets of the namespace of a pod.
func (c *daemonSetController) sets(p *store.Pod) (sets []daemonset.DaemonSet) {
	for _, d := range within(&c.DaemonSets, control.All(c.Controller, &c.DaemonSets), p.Name) {
		sets = append(sets, d.DaemonSet)
	}
	return sets
}

// daemonPod is the pod as package daemonset reads it, nil for nil.
func daemonPod(p *store.Pod) *daemonset.Pod {
	if p == nil {
		return nil
	}
	return &p.Pod
}

// nodeChanged enters the DaemonSets that a changed node concerns. On which nodes it has pods a
// DaemonSet is not asked: both answers count. One that is gone concerns all, which count it no
// longer: no cache of the world lists its objects again from time to time.
func (c *daemonSetController) nodeChanged(old, n *store.Node) {
	c.Fail(c.tracked.nodeChanged(old, n))
	change := daemonset.Change{Node: daemonset.NodeEvent{Old: daemonNode(old), New: daemonNode(n)}}
	for _, d := range control.All(c.Controller, &c.DaemonSets) {
		if n == nil {
			c.Enter(d.Name)
			continue
		}
		for _, change.Bound = range [...][]string{nil, {d.UID}} {
			c.effects(change, []daemonset.DaemonSet{d.DaemonSet}, c.options(d))
		}
	}
}

// daemonNode is the node as package daemonset reads it, nil for nil.
func daemonNode(n *store.Node) *daemonset.Node {
	if n == nil {
		return nil
	}
	return &n.Node.Node
}

// effects applies the effects of a change on DaemonSets.
func (c *daemonSetController) effects(change daemonset.Change, sets []daemonset.DaemonSet, options daemonset.Options) {
	c.expected.observe(c.Controller, daemonset.Effects(change, sets, options))
}

// wanted is the DaemonSet as it is planned for, with the hash of its template.
func (c *daemonSetController) wanted(d *store.DaemonSet) daemonset.DaemonSet {
	set := d.DaemonSet
	if d.TemplateID != "" {
		set.Template.Hash = c.env.Hash(revision.Template{ID: d.TemplateID}, d.Status.CollisionCount)
	}
	return set
}

// unseen reports whether the controller waits to see its writes.
func (c *daemonSetController) unseen(name string) bool {
	return !c.expected[name].Satisfied(c.Now())
}

// snapshot returns the controller's view of a DaemonSet.
func (c *daemonSetController) snapshot(d *store.DaemonSet) *daemonset.Snapshot {
	s := &daemonset.Snapshot{
		DaemonSet: c.wanted(d), Revisions: values(claimable(c.Controller, &c.Revisions, d.UID, d.Name)),
		Backoff: c.backoff[d.Name], Unseen: c.unseen(d.Name),
	}
	nodes := control.All(c.Controller, &c.Nodes)
	s.Nodes = make([]daemonset.Node, len(nodes))
	for i, n := range nodes {
		s.Nodes[i] = n.Node.Node
	}
	pods := claimable(c.Controller, &c.Server.Pods, d.UID, d.Name)
	s.Pods = make([]daemonset.Pod, len(pods))
	for i, p := range pods {
		s.Pods[i] = p.Pod
	}
	if c.versions != nil {
		s.Written = c.versions[d.Name]
		s.Read = expect.Versions{Children: text(c.View[store.KindPod]), Owner: text(c.View[store.KindDaemonSet])}
	}
	if e := c.expected[d.Name]; !e.Fulfilled() && !s.Unseen {
		c.env.Expired++
	}
	return s
}

func text(version int64) string { return strconv.FormatInt(version, 10) }

// plan returns a pass of a DaemonSet, made by a Tracker or from a snapshot.
func (c *daemonSetController) plan(d *store.DaemonSet, now time.Time, o daemonset.Options) (daemonset.Pass, error) {
	if c.env.PlanDaemonSet == nil {
		if t := c.tracked.of(c, d); t != nil {
			return t.Pass(now, o)
		}
	}
	s := c.snapshot(d)
	pass, err := daemonset.NewPass(*s, now, o)
	if c.env.PlanDaemonSet != nil && err == nil {
		pass.Plan, err = c.env.PlanDaemonSet(*s, now, o)
	}
	return pass, err
}

// Begin implements control.Worker.
func (c *daemonSetController) Begin(name string) control.Pass {
	d := control.See(c.Controller, &c.DaemonSets, name)
	if d == nil {
		delete(c.expected, name)
		delete(c.backoff, name)
		delete(c.versions, name)
		return nil
	}
	now, options := c.Now(), c.options(d)
	made, err := c.plan(d, now, options)
	p := made.Plan
	c.Plans++
	if err != nil {
		c.Fail(fmt.Errorf("daemon set %s: %w", name, err))
		return nil
	}
	planned(c.env, c.Controller, store.KindDaemonSet, name, p)
	c.expected.expect(c.Controller, name, p.Expect(c.expected[name], now))
	pass := &daemonSetPass{c: c, d: c.wanted(d), pass: made, options: options, version: d.ResourceVersion}
	if len(p.Actions) == 0 && !pass.finish() {
		return nil
	}
	return pass.next
}

// options are the options for a DaemonSet. The dialect is OpenKruise's if the DaemonSet is, or if a
// Rollout says so. Plans without a reader do not name each node that blocks the update: with a
// budget that is a share of the nodes, an update would take time and memory with their square.
func (c *daemonSetController) options(d *store.DaemonSet) daemonset.Options {
	o := c.env.DaemonSet
	o.SumHolds = o.SumHolds || c.env.PlanDaemonSet == nil && c.env.Planned == nil && c.env.Trace == nil
	if d.Advanced || c.env.RefOfDaemonSet(d.Name).Group() != "apps" {
		o.Dialect = daemonset.OpenKruise
	}
	return o
}

// RefOfDaemonSet names a DaemonSet as the Rollout does that releases it. Without one it is of
// Kubernetes.
func (e *Env) RefOfDaemonSet(name string) workload.Ref {
	for _, r := range e.Rollouts.All() {
		if ref := r.WorkloadRef; ref.Kind == daemonset.Kind && ref.Name == name {
			return ref
		}
	}
	return workload.Ref{APIVersion: "apps/v1", Kind: daemonset.Kind, Name: name}
}

// KeepDaemonTemplate keeps the template of a DaemonSet by its hash.
func (e *Env) KeepDaemonTemplate(d *daemonset.DaemonSet) {
	if e.DaemonTemplates == nil {
		e.DaemonTemplates = map[string]daemonset.Template{}
	}
	e.DaemonTemplates[d.Name+"/"+d.Template.Hash] = d.Template
}
