// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/revision"
)

const (
	longest = 24 * time.Hour // limit of a run
	rounds  = 200            // limit of the passes at one instant, after which the planners count as never ending
)

// run runs the cluster for a time, or if limit is 0 until nothing will change any more.
func (c *Cluster) run(limit time.Duration) error {
	end := c.now.Add(longest)
	if limit > 0 {
		end = c.now.Add(limit)
	}
	c.ranges = map[string]*span{}
	for {
		if err := c.settle(); err != nil {
			return err
		}
		next, ok := c.next()
		if !ok || next.After(end) {
			break
		}
		c.now = next
	}
	if limit > 0 {
		c.now = end
	}
	for _, name := range slices.Sorted(maps.Keys(c.ranges)) {
		s := c.ranges[name]
		c.printf("%s had up to %d pods and at least %d available", name, s.most, s.fewest)
	}
	c.ranges = nil
	return nil
}

// settle runs all controllers at one instant, in turns, until nothing changes.
func (c *Cluster) settle() error {
	for range rounds {
		changed := c.live()
		for _, d := range slices.Clone(c.deployments) {
			did, err := c.reconcileDeployment(d)
			if err != nil {
				return err
			}
			changed = did || changed
		}
		for _, rs := range slices.Clone(c.replicaSets) {
			did, err := c.reconcileReplicaSet(rs)
			if err != nil {
				return err
			}
			changed = did || changed
		}
		for _, ds := range slices.Clone(c.daemonSets) {
			did, err := c.reconcileDaemonSet(ds)
			if err != nil {
				return err
			}
			changed = did || changed
		}
		changed = c.collect() || changed
		c.measure()
		if !changed {
			return nil
		}
	}
	return fmt.Errorf("not at rest after %d rounds", rounds)
}

// next returns the next instant at which something happens.
func (c *Cluster) next() (next time.Time, ok bool) {
	consider := func(t time.Time) {
		if t.After(c.now) && (!ok || t.Before(next)) {
			next, ok = t, true
		}
	}
	for _, t := range c.wake {
		consider(t)
	}
	for _, p := range c.pods {
		switch {
		case !p.DeletionTimestamp.IsZero() && c.kubelet.end >= 0:
			consider(p.DeletionTimestamp.Add(c.kubelet.end))
		case p.Phase == podorder.Pending && p.NodeName != "" && !c.kubelet.off:
			consider(p.CreationTimestamp.Add(c.kubelet.ready))
		}
	}
	return next, ok
}

// live makes the changes that are due in the life of each pod.
func (c *Cluster) live() (changed bool) {
	for _, p := range slices.Clone(c.pods) {
		switch {
		case !p.DeletionTimestamp.IsZero():
			if c.kubelet.end >= 0 && !c.now.Before(p.DeletionTimestamp.Add(c.kubelet.end)) {
				drop(&c.pods, p)
				changed = true
			}
		case c.kubelet.off || p.Phase != podorder.Pending:
		case p.NodeName == "":
			p.NodeName = c.place(p)
			changed = p.NodeName != "" || changed
		case !c.now.Before(p.CreationTimestamp.Add(c.kubelet.ready)):
			p.Phase, changed = podorder.Running, true
			if !slices.Contains(c.kubelet.never, templateOf(p)) {
				p.Ready, p.ReadySince = true, c.now
			}
		}
	}
	return changed
}

// place returns the node for a pod: the node that it is pinned to, or any.
func (c *Cluster) place(p *daemonset.Pod) string {
	if p.PinnedNode == "" {
		return "any"
	}
	if n := find(c.nodes, nodeName, p.PinnedNode); n == nil || n.full {
		return ""
	}
	return p.PinnedNode
}

// templateOf returns the template that a pod was made from, by its label.
func templateOf(p *daemonset.Pod) string {
	if hash, ok := p.Labels[revision.LabelHash]; ok {
		return hash
	}
	return p.Labels[daemonset.LabelHash]
}

// collect removes dependents of deleted owners, and owners that have waited for their
// dependents.
func (c *Cluster) collect() (changed bool) {
	for _, rs := range slices.Clone(c.replicaSets) {
		if c.ended[rs.ControllerUID] && rs.DeletionTimestamp.IsZero() {
			end(c, &c.replicaSets, rs, rs.UID, "replica set "+rs.Name)
			changed = true
		}
	}
	for _, p := range slices.Clone(c.pods) {
		if c.ended[p.ControllerUID] && p.DeletionTimestamp.IsZero() {
			c.printf("garbage collector: Deleted pod %s", p.Name)
			c.deletePod(p)
			changed = true
		}
	}
	for _, r := range slices.Clone(c.revisions) {
		if c.ended[r.ControllerUID] {
			drop(&c.revisions, r)
			changed = true
		}
	}
	return c.collectForeground() || changed
}

// collectForeground deletes the dependents of owners that wait for them.
func (c *Cluster) collectForeground() (changed bool) {
	for _, rs := range slices.Clone(c.replicaSets) {
		if !rs.DeletionTimestamp.IsZero() && c.deleteDependents(rs.UID, &changed) == 0 {
			end(c, &c.replicaSets, rs, rs.UID, "replica set "+rs.Name)
			changed = true
		}
	}
	for _, ds := range slices.Clone(c.daemonSets) {
		if !ds.DeletionTimestamp.IsZero() && c.deleteDependents(ds.UID, &changed) == 0 {
			end(c, &c.daemonSets, ds, ds.UID, "daemon set "+ds.Name)
			changed = true
		}
	}
	for _, d := range slices.Clone(c.deployments) {
		if !d.DeletionTimestamp.IsZero() && c.deleteDependents(d.UID, &changed) == 0 {
			end(c, &c.deployments, d, d.UID, "deployment "+d.Name)
			changed = true
		}
	}
	return changed
}

// end removes an owner; the garbage collector then removes its remaining dependents.
func end[T any](c *Cluster, list *[]*T, o *T, uid, what string) {
	drop(list, o)
	c.ended[uid] = true
	c.printf("garbage collector: Deleted %s", what)
}

// deleteDependents deletes the dependents of an owner, and returns how many are left.
func (c *Cluster) deleteDependents(uid string, changed *bool) (left int) {
	for _, rs := range c.replicaSets {
		if rs.ControllerUID == uid {
			left++
			if rs.DeletionTimestamp.IsZero() {
				rs.DeletionTimestamp, *changed = c.now, true
			}
		}
	}
	for _, p := range slices.Clone(c.pods) {
		if p.ControllerUID == uid {
			left++
			if p.DeletionTimestamp.IsZero() {
				c.printf("garbage collector: Deleted pod %s", p.Name)
				c.deletePod(p)
				*changed = true
			}
		}
	}
	return left
}

// A span holds the most pods and the fewest available pods of a workload.
type span struct{ most, fewest int }

// measure records, for each workload, the pods that are not being deleted, and the available
// pods.
func (c *Cluster) measure() {
	for _, d := range c.deployments {
		c.note("deployment "+d.Name, d.MinReadySeconds, func(p *daemonset.Pod) bool {
			rs := find(c.replicaSets, replicaSetName, p.ControllerName)
			return rs != nil && rs.UID == p.ControllerUID && rs.ControllerUID == d.UID
		})
	}
	for _, rs := range c.replicaSets {
		if rs.ControllerUID == "" {
			c.note("replica set "+rs.Name, rs.MinReadySeconds, func(p *daemonset.Pod) bool { return p.ControllerUID == rs.UID })
		}
	}
	for _, ds := range c.daemonSets {
		c.note("daemon set "+ds.Name, ds.MinReadySeconds, func(p *daemonset.Pod) bool { return p.ControllerUID == ds.UID })
	}
}

func (c *Cluster) note(name string, minReadySeconds int32, owned func(*daemonset.Pod) bool) {
	pods, available := 0, 0
	for _, p := range c.pods {
		if p.Active() && owned(p) {
			pods++
			if p.Available(minReadySeconds, c.now) {
				available++
			}
		}
	}
	s := c.ranges[name]
	if s == nil {
		s = &span{fewest: math.MaxInt}
		c.ranges[name] = s
	}
	s.most, s.fewest = max(s.most, pods), min(s.fewest, available)
}
