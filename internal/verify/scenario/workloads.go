// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/revision"
)

var errQuota = errors.New("exceeded quota")

// hash returns the hash of a template: its name, unless that is taken.
func hash(template string, collisions *int32) string {
	if collisions == nil || *collisions == 0 {
		return template
	}
	return template + "x" + strconv.Itoa(int(*collisions))
}

// deploymentSnapshot returns the controller's view of a Deployment.
func (c *Cluster) deploymentSnapshot(d *deploy.Deployment) deploy.Snapshot {
	s := deploy.Snapshot{Deployment: *d, ReplicaSets: values(c.replicaSets), Pods: c.replicaPods()}
	s.Deployment.Template.Hash = hash(d.Template.ID, d.Status.CollisionCount)
	return s
}

// reconcileDeployment makes one pass of the Deployment controller and reports whether
// it wrote anything.
func (c *Cluster) reconcileDeployment(d *deploy.Deployment) (bool, error) {
	s := c.deploymentSnapshot(d)
	p, err := c.planners.Deployment(s, c.now, c.deploymentOptions)
	if err != nil {
		return false, err
	}
	c.wake["deployment "+d.Name] = p.RecheckAt
	for i, a := range p.Actions {
		if create, ok := a.(deploy.CreateReplicaSet); ok && find(c.replicaSets, replicaSetName, create.Name) != nil {
			return true, c.nameTaken(d, s, p, i)
		}
		next, err := deploy.Apply(c.deploymentSnapshot(d), a, c.now)
		if err != nil {
			return false, err
		}
		*d = next.Deployment
		for _, rs := range store(c, &c.replicaSets, replicaSetName, next.ReplicaSets, func(rs *replicaset.ReplicaSet) *string { return &rs.UID }) {
			c.ended[rs.UID] = true
		}
		switch a.(type) {
		case deploy.AnnotateDeployment, deploy.AnnotateReplicaSet: // too many to print
		default:
			c.printf("deployment %s: %v", d.Name, a)
		}
	}
	changed := len(p.Actions) > 0 || !reflect.DeepEqual(p.Status, d.Status)
	d.Status = p.Status
	return changed, nil
}

// store replaces a list of objects with the list after an action, and returns the deleted
// objects. A new object gets a UID of the cluster, which counts them.
func store[T any](c *Cluster, list *[]*T, name func(*T) string, left []T, uid func(*T) *string) (gone []*T) {
	for _, o := range slices.Clone(*list) {
		if !slices.ContainsFunc(left, func(l T) bool { return name(&l) == name(o) }) {
			drop(list, o)
			gone = append(gone, o)
		}
	}
	for i := range left {
		if o := find(*list, name, name(&left[i])); o != nil {
			*o = left[i]
		} else {
			*uid(&left[i]) = c.newUID()
			insert(list, name, &left[i])
		}
	}
	return gone
}

// nameTaken ends a pass in which the name of a new ReplicaSet is taken.
func (c *Cluster) nameTaken(d *deploy.Deployment, s deploy.Snapshot, p deploy.Plan, action int) error {
	c.printf("deployment %s: replica set %s exists", d.Name, p.Actions[action].(deploy.CreateReplicaSet).Name)
	report := deploy.Report{Outcomes: slices.Repeat([]kplan.Outcome{{Answer: kplan.Done}}, action)}
	report.Outcomes = append(report.Outcomes, kplan.Outcome{Answer: kplan.AlreadyExists})
	pass, err := deploy.NewPass(s, c.now, c.deploymentOptions)
	if err != nil {
		return err
	}
	pass.Plan = p
	r := pass.Finish(report)
	d.Status, d.Annotations = r.Status, r.Annotations
	return nil
}

// reconcileReplicaSet makes one pass of the ReplicaSet controller. All its writes are seen at
// once, so that nothing is expected between two passes.
func (c *Cluster) reconcileReplicaSet(rs *replicaset.ReplicaSet) (bool, error) {
	s := replicaset.Snapshot{ReplicaSet: *rs, Pods: c.replicaPods(), Siblings: values(c.replicaSets)}
	p, err := c.planners.ReplicaSet(s, c.now, c.replicaSetOptions)
	if err != nil {
		return false, err
	}
	var report replicaset.Report
	var deleted []string
	did := false
	for _, action := range p.Actions {
		wrote := true
		switch a := action.(type) {
		case replicaset.CreatePods:
			report.Creates, err = c.createPods(rs, a)
			wrote = err == nil && report.Creates[0].Answer == kplan.Done
		case replicaset.DeletePod:
			err = c.onReplicaPod(rs, a.Name, a)
			deleted, report.Deletes = append(deleted, a.Name), append(report.Deletes, kplan.Outcome{Answer: kplan.Done})
		case replicaset.AdoptPod:
			err = c.claim(rs, a.Name, a, &report)
		case replicaset.ReleasePod:
			err = c.claim(rs, a.Name, a, &report)
		}
		if err != nil {
			return false, err
		}
		did = did || wrote
	}
	if len(deleted) > 3 {
		c.printf("replica set %s: Deleted %d pods", rs.Name, len(deleted))
	} else if len(deleted) > 0 {
		c.printf("replica set %s: Deleted %s", rs.Name, strings.Join(deleted, ", "))
	}
	pass, err := replicaset.NewPass(s, c.now, c.replicaSetOptions)
	if err != nil {
		return false, err
	}
	pass.Plan = p
	r := pass.Finish(report)
	c.wake["replica set "+rs.Name] = r.RecheckAt
	if r.WriteStatus {
		did, rs.Status = true, r.Status
	}
	return did, nil
}

// claim carries out an action that adopts or releases a pod of a ReplicaSet.
func (c *Cluster) claim(rs *replicaset.ReplicaSet, pod string, a replicaset.Action, report *replicaset.Report) error {
	report.Claims = append(report.Claims, kplan.Outcome{Answer: kplan.Done})
	c.printf("replica set %s: %v", rs.Name, a)
	return c.onReplicaPod(rs, pod, a)
}

// createPods creates pods in batches, until one is refused. Each pod comes from Apply of the
// action on an empty snapshot.
func (c *Cluster) createPods(rs *replicaset.ReplicaSet, a replicaset.CreatePods) (made []kplan.Outcome, err error) {
	created, one := 0, a
	one.Count = 1
	for n := a.NextBatch(made); n > 0; n = a.NextBatch(made) {
		for range n {
			if !c.admits() {
				made = append(made, kplan.Outcome{Answer: kplan.Failed, Err: errQuota})
				continue
			}
			next, err := replicaset.Apply(replicaset.Snapshot{ReplicaSet: *rs}, one, c.now)
			if err != nil {
				return nil, err
			}
			created++
			made = append(made, kplan.Outcome{Answer: kplan.Done, Name: c.createPod(daemonset.Pod{Pod: next.Pods[0]})})
		}
	}
	if created > 0 {
		a.Count = int32(created)
		c.printf("replica set %s: %v", rs.Name, a)
	}
	return made, nil
}

// daemonSnapshot returns the controller's view of a DaemonSet.
func (c *Cluster) daemonSnapshot(ds *daemonset.DaemonSet) daemonset.Snapshot {
	s := daemonset.Snapshot{
		DaemonSet: *ds, Pods: values(c.pods), Revisions: values(c.revisions), Backoff: c.backoff[ds.Name],
	}
	for _, n := range c.nodes {
		s.Nodes = append(s.Nodes, n.Node)
	}
	s.DaemonSet.Template.Hash = hash(ds.Template.Hash, ds.Status.CollisionCount)
	return s
}

// reconcileDaemonSet makes one pass of the DaemonSet controller. The status is written
// even if pods could not be created.
func (c *Cluster) reconcileDaemonSet(ds *daemonset.DaemonSet) (bool, error) {
	s := c.daemonSnapshot(ds)
	p, err := c.planners.DaemonSet(s, c.now, daemonset.Options{})
	if err != nil {
		return false, err
	}
	c.backoff[ds.Name], c.wake["daemon set "+ds.Name] = p.Backoff, p.RecheckAt
	did := false
	for _, a := range p.Actions {
		wrote, err := c.applyDaemonSet(ds, a)
		if err != nil {
			return false, err
		}
		did = did || wrote
	}
	did = did || !reflect.DeepEqual(p.Status, ds.Status)
	ds.Status = p.Status
	return did, nil
}

// applyDaemonSet carries out one action, and reports whether anything was written. Pods are
// created if the quota admits them, and end at the time that the kubelet sets.
func (c *Cluster) applyDaemonSet(ds *daemonset.DaemonSet, a daemonset.Action) (bool, error) {
	s := c.daemonSnapshot(ds)
	_, creates := a.(daemonset.CreatePod)
	if creates {
		if !c.admits() {
			return false, nil
		}
		s.Pods = nil // the cluster names the new pod
	}
	next, err := daemonset.Apply(s, a, c.now)
	if err != nil {
		return false, fmt.Errorf("%s: %w", ds.Name, err)
	}
	switch o, _ := daemonset.ObjectOf(a); {
	case creates:
		c.createPod(next.Pods[0])
	case len(next.Pods) < len(s.Pods):
		c.dropPod(find(c.pods, podName, o.Name))
	default:
		store(c, &c.pods, podName, next.Pods, func(p *daemonset.Pod) *string { return &p.UID })
		store(c, &c.revisions, revisionName, next.Revisions, func(r *revision.ControllerRevision) *string { return &r.UID })
	}
	c.printf("daemon set %s: %v", ds.Name, a)
	return true, nil
}
