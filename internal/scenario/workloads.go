package scenario

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/selector"
)

var errQuota = errors.New("exceeded quota")

// with returns a copy of m with the entries of set.
func with(m, set map[string]string) map[string]string {
	merged := maps.Clone(m)
	if merged == nil {
		merged = map[string]string{}
	}
	maps.Copy(merged, set)
	return merged
}

// hash returns the hash of a template, which is its name until that is taken.
func hash(template string, collisions *int32) string {
	if collisions == nil || *collisions == 0 {
		return template
	}
	return template + "x" + strconv.Itoa(int(*collisions))
}

// reconcileDeployment makes one pass of the Deployment controller and reports whether
// it wrote anything.
func (c *Cluster) reconcileDeployment(d *deploy.Deployment) (bool, error) {
	s := deploy.Snapshot{Deployment: *d, ReplicaSets: values(c.replicaSets), Pods: c.replicaPods()}
	s.Deployment.Template.Hash = hash(d.Template.ID, d.Status.CollisionCount)
	p, err := c.planners.Deployment(s, c.now, c.deploymentOptions)
	if err != nil {
		return false, err
	}
	c.wake["deployment "+d.Name] = p.RecheckAt
	for i, a := range p.Actions {
		if create, ok := a.(deploy.CreateReplicaSet); ok && find(c.replicaSets, replicaSetName, create.Name) != nil {
			c.nameTaken(d, s, p, i)
			return true, nil
		}
		if err := c.applyDeployment(d, a); err != nil {
			return false, err
		}
	}
	changed := len(p.Actions) > 0 || !reflect.DeepEqual(p.Status, d.Status)
	d.Status = p.Status
	return changed, nil
}

// nameTaken is what follows when the name of a new ReplicaSet is taken.
func (c *Cluster) nameTaken(d *deploy.Deployment, s deploy.Snapshot, p deploy.Plan, action int) {
	c.printf("deployment %s: replica set %s exists", d.Name, p.Actions[action].(deploy.CreateReplicaSet).Name)
	report := deploy.Report{Outcomes: slices.Repeat([]selector.Outcome{{Answer: selector.Done}}, action)}
	report.Outcomes = append(report.Outcomes, selector.Outcome{Answer: selector.AlreadyExists})
	r := deploy.Finish(s, p, report, c.now, c.deploymentOptions)
	d.Status, d.Annotations = r.Status, r.Annotations
}

// applyDeployment carries out one action. Of those that annotate nothing is printed.
func (c *Cluster) applyDeployment(d *deploy.Deployment, a deploy.Action) error {
	switch a := a.(type) {
	case deploy.AnnotateDeployment:
		d.Annotations = with(d.Annotations, a.Set)
		return nil
	case deploy.AnnotateReplicaSet:
		rs := find(c.replicaSets, replicaSetName, a.Name)
		rs.Annotations = with(rs.Annotations, a.Set)
		if a.MinReadySeconds != nil {
			rs.MinReadySeconds = *a.MinReadySeconds
			rs.Generation++
		}
		return nil
	case deploy.CreateReplicaSet:
		var sel *selector.LabelSelector
		if d.Selector != nil {
			sel = d.Selector.WithLabel(revision.LabelHash, a.Template.Hash)
		}
		insert(&c.replicaSets, replicaSetName, &replicaset.ReplicaSet{
			Name: a.Name, UID: c.newUID(), Generation: 1, Labels: a.Labels, Annotations: a.Annotations,
			ControllerKind: deploy.Kind, ControllerName: d.Name, ControllerUID: d.UID, CreationTimestamp: c.now,
			Replicas: &a.Replicas, MinReadySeconds: a.MinReadySeconds, Template: a.Template, TemplateLabels: a.Labels, Selector: sel,
		})
	case deploy.ScaleReplicaSet:
		rs := find(c.replicaSets, replicaSetName, a.Name)
		rs.Replicas, rs.Annotations = &a.To, with(rs.Annotations, a.Set)
		rs.Generation++
	case deploy.DeleteReplicaSet:
		rs := find(c.replicaSets, replicaSetName, a.Name)
		drop(&c.replicaSets, rs)
		c.ended[rs.UID] = true
	case deploy.AdoptReplicaSet:
		rs := find(c.replicaSets, replicaSetName, a.Name)
		rs.ControllerKind, rs.ControllerName, rs.ControllerUID = deploy.Kind, d.Name, d.UID
	case deploy.ReleaseReplicaSet:
		rs := find(c.replicaSets, replicaSetName, a.Name)
		rs.ControllerKind, rs.ControllerName, rs.ControllerUID = "", "", ""
	default:
		return fmt.Errorf("%s: unknown action %T", d.Name, a)
	}
	c.printf("deployment %s: %v", d.Name, a)
	return nil
}

// reconcileReplicaSet makes one pass of the ReplicaSet controller. All it has written
// is seen at once, so that nothing is expected between two passes.
func (c *Cluster) reconcileReplicaSet(rs *replicaset.ReplicaSet) (bool, error) {
	s := replicaset.Snapshot{ReplicaSet: *rs, Pods: c.replicaPods(), Siblings: values(c.replicaSets)}
	p, err := c.planners.ReplicaSet(s, c.now, c.replicaSetOptions)
	if err != nil {
		return false, err
	}
	var report replicaset.Report
	var deleted []string
	did := false
	for _, a := range p.Actions {
		switch a := a.(type) {
		case replicaset.CreatePods:
			report.Creates = c.createPods(rs, a)
			did = did || report.Creates[0].Answer == selector.Done
		case replicaset.DeletePod:
			did, deleted = true, append(deleted, a.Name)
			c.deletePod(find(c.pods, podName, a.Name))
			report.Deletes = append(report.Deletes, selector.Outcome{Answer: selector.Done})
		case replicaset.AdoptPod:
			did = true
			c.claim(a.Name, a.Reference.Kind, a.Reference.Name, a.Reference.UID)
			c.printf("replica set %s: %v", rs.Name, a)
			report.Claims = append(report.Claims, selector.Outcome{Answer: selector.Done})
		case replicaset.ReleasePod:
			did = true
			c.claim(a.Name, "", "", "")
			c.printf("replica set %s: %v", rs.Name, a)
			report.Claims = append(report.Claims, selector.Outcome{Answer: selector.Done})
		}
	}
	if len(deleted) > 3 {
		c.printf("replica set %s: Deleted %d pods", rs.Name, len(deleted))
	} else if len(deleted) > 0 {
		c.printf("replica set %s: Deleted %s", rs.Name, strings.Join(deleted, ", "))
	}
	r := replicaset.Finish(s, p, report, c.now, c.replicaSetOptions)
	c.wake["replica set "+rs.Name] = r.RecheckAt
	if r.WriteStatus {
		did, rs.Status = true, r.Status
	}
	return did, nil
}

// createPods creates pods in batches, until one is refused.
func (c *Cluster) createPods(rs *replicaset.ReplicaSet, a replicaset.CreatePods) (made []selector.Outcome) {
	created := 0
	for n := a.NextBatch(made); n > 0; n = a.NextBatch(made) {
		for range n {
			if !c.admits() {
				made = append(made, selector.Outcome{Answer: selector.Failed, Err: errQuota})
				continue
			}
			created++
			made = append(made, selector.Outcome{Answer: selector.Done, Name: c.createPod(podorder.Pod{
				Labels: rs.TemplateLabels, ControllerKind: replicaset.Kind, ControllerName: rs.Name, ControllerUID: rs.UID,
			}, "")})
		}
	}
	if created > 0 {
		a.Count = int32(created)
		c.printf("replica set %s: %v", rs.Name, a)
	}
	return made
}

// claim changes the controller of a pod.
func (c *Cluster) claim(pod, kind, name, uid string) {
	p := find(c.pods, podName, pod)
	p.ControllerKind, p.ControllerName, p.ControllerUID = kind, name, uid
}

// reconcileDaemonSet makes one pass of the DaemonSet controller. The status is written
// even if pods could not be created.
func (c *Cluster) reconcileDaemonSet(ds *daemonset.DaemonSet) (bool, error) {
	s := daemonset.Snapshot{
		DaemonSet: *ds, Pods: values(c.pods), Revisions: values(c.revisions), Backoff: c.backoff[ds.Name],
	}
	for _, n := range c.nodes {
		s.Nodes = append(s.Nodes, n.Node)
	}
	s.DaemonSet.Template.Hash = hash(ds.Template.Hash, ds.Status.CollisionCount)
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

// applyDaemonSet carries out one action, and reports whether anything was written.
func (c *Cluster) applyDaemonSet(ds *daemonset.DaemonSet, a daemonset.Action) (bool, error) {
	switch a := a.(type) {
	case daemonset.CreatePod:
		if !c.admits() {
			return false, nil
		}
		labels := with(ds.Template.Labels, map[string]string{daemonset.LabelHash: a.Hash})
		c.createPod(podorder.Pod{Labels: labels, ControllerKind: daemonset.Kind, ControllerName: ds.Name, ControllerUID: ds.UID}, a.Node)
	case daemonset.DeletePod:
		c.deletePod(find(c.pods, podName, a.Name))
	case daemonset.RelabelPod:
		p := find(c.pods, podName, a.Name)
		p.Labels = with(p.Labels, map[string]string{daemonset.LabelHash: a.To})
	case daemonset.CreateRevision:
		insert(&c.revisions, revisionName, &revision.ControllerRevision{
			Name: a.Name, UID: c.newUID(), Labels: a.Labels, Annotations: a.Annotations, CreationTimestamp: c.now,
			Data: a.Data, Revision: a.Revision, ControllerKind: daemonset.Kind, ControllerName: ds.Name, ControllerUID: ds.UID,
		})
	case daemonset.UpdateRevision:
		r := find(c.revisions, revisionName, a.Name)
		r.Revision = a.To
		if a.Hash != "" {
			r.Labels = with(r.Labels, map[string]string{daemonset.LabelHash: a.Hash})
		}
	case daemonset.DeleteRevision:
		drop(&c.revisions, find(c.revisions, revisionName, a.Name))
	default:
		return false, fmt.Errorf("%s: unknown action %T", ds.Name, a)
	}
	c.printf("daemon set %s: %v", ds.Name, a)
	return true, nil
}
