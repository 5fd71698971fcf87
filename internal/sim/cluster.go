package sim

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"time"

	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/selector"
)

// A Cluster is a Deployment with its ReplicaSets and pods at one instant. It
// stands for the API server and its store.
type Cluster struct {
	Now         time.Time
	Deployment  deploy.Deployment
	ReplicaSets []replicaset.ReplicaSet
	Pods        []podorder.Pod // in any order; those that a run creates come last

	serial int // how many objects have been created
	index  podIndex
}

// Clone returns a copy that shares nothing that a run writes to.
func (c *Cluster) Clone() Cluster {
	clone := *c
	clone.Deployment.Annotations = maps.Clone(c.Deployment.Annotations)
	clone.ReplicaSets = slices.Clone(c.ReplicaSets)
	for i := range clone.ReplicaSets {
		rs := &clone.ReplicaSets[i]
		rs.Annotations = maps.Clone(rs.Annotations)
		if rs.Replicas != nil {
			rs.Replicas = new(*rs.Replicas)
		}
	}
	clone.Pods = slices.Clone(c.Pods)
	clone.index = newPodIndex(clone.Pods)
	return clone
}

// Update makes d the wanted state, as applying a changed manifest does: identity,
// status and the published revision stay, and the generation rises if anything
// else changes.
func (c *Cluster) Update(d deploy.Deployment) {
	old := c.Deployment
	d.Name, d.UID, d.Generation, d.Status = old.Name, old.UID, old.Generation, old.Status
	if number, ok := old.Annotations[revision.AnnotationRevision]; ok {
		d.Annotations = with(d.Annotations, map[string]string{revision.AnnotationRevision: number})
	}
	if !reflect.DeepEqual(d, old) {
		d.Generation++
	}
	c.Deployment = d
}

// Apply performs one write of a Deployment's plan. It fails if the plan was made
// for another state: the write names an object that has changed hands or size.
func (c *Cluster) Apply(a deploy.Action) error {
	switch a := a.(type) {
	case deploy.CreateReplicaSet:
		return c.createReplicaSet(a)
	case deploy.AnnotateReplicaSet:
		return c.annotateReplicaSet(a)
	case deploy.ScaleReplicaSet:
		return c.scaleReplicaSet(a)
	case deploy.AnnotateDeployment:
		// This write goes with the status, and leaves the generation.
		c.Deployment.Annotations = with(c.Deployment.Annotations, a.Set)
		return nil
	case deploy.DeleteReplicaSet:
		return c.deleteReplicaSet(a)
	case deploy.AdoptReplicaSet:
		return c.setController(a.Name, a.UID, deploy.Kind, c.Deployment.Name, c.Deployment.UID)
	case deploy.ReleaseReplicaSet:
		return c.setController(a.Name, a.UID, "", "", "")
	case deploy.RollBackDeployment:
		c.Deployment.Template, c.Deployment.Annotations = a.Template, maps.Clone(a.Annotations)
		c.Deployment.Generation++
		return nil
	case deploy.PauseDeployment:
		c.Deployment.Paused, c.Deployment.Annotations = true, with(c.Deployment.Annotations, a.Set)
		c.Deployment.Generation++
		return nil
	case deploy.ClearRollback:
		c.Deployment.Annotations = maps.Clone(c.Deployment.Annotations)
		delete(c.Deployment.Annotations, revision.AnnotationRollback)
		c.Deployment.Generation++
		return nil
	}
	return fmt.Errorf("unknown action %T", a)
}

func (c *Cluster) createReplicaSet(a deploy.CreateReplicaSet) error {
	if slices.ContainsFunc(c.ReplicaSets, func(rs replicaset.ReplicaSet) bool { return rs.Name == a.Name }) {
		return fmt.Errorf("create replica set %s: it exists", a.Name)
	}
	c.ReplicaSets = append(c.ReplicaSets, replicaset.ReplicaSet{
		Name:              a.Name,
		UID:               c.newUID(),
		Generation:        1,
		Annotations:       maps.Clone(a.Annotations),
		ControllerKind:    "Deployment",
		ControllerName:    c.Deployment.Name,
		ControllerUID:     c.Deployment.UID,
		CreationTimestamp: c.Now,
		Replicas:          new(a.Replicas),
		MinReadySeconds:   a.MinReadySeconds,
		Template:          a.Template,
		Labels:            maps.Clone(a.Labels),
		TemplateLabels:    maps.Clone(a.Labels),
		Selector:          withHash(c.Deployment.Selector, a.Template.Hash),
	})
	return nil
}

func (c *Cluster) annotateReplicaSet(a deploy.AnnotateReplicaSet) error {
	rs, err := c.replicaSet(a.Name, a.UID)
	if err != nil {
		return fmt.Errorf("annotate %w", err)
	}
	rs.Annotations = with(rs.Annotations, a.Set)
	if a.MinReadySeconds != nil && rs.MinReadySeconds != *a.MinReadySeconds {
		rs.MinReadySeconds = *a.MinReadySeconds
		rs.Generation++
	}
	return nil
}

func (c *Cluster) scaleReplicaSet(a deploy.ScaleReplicaSet) error {
	rs, err := c.replicaSet(a.Name, a.UID)
	if err != nil {
		return fmt.Errorf("scale %w", err)
	}
	if size := sizeOf(rs); size != a.From {
		return fmt.Errorf("scale replica set %s: planned for size %d, found %d", a.Name, a.From, size)
	}
	rs.Annotations = with(rs.Annotations, a.Set)
	rs.Replicas = new(a.To)
	rs.Generation++
	return nil
}

func (c *Cluster) deleteReplicaSet(a deploy.DeleteReplicaSet) error {
	rs, err := c.replicaSet(a.Name, a.UID)
	if err != nil {
		return fmt.Errorf("delete %w", err)
	}
	if sizeOf(rs) != 0 || rs.Status.Replicas != 0 {
		return fmt.Errorf("delete replica set %s: it is not empty", a.Name)
	}
	c.ReplicaSets = slices.DeleteFunc(c.ReplicaSets, func(rs replicaset.ReplicaSet) bool { return rs.UID == a.UID })
	return nil
}

// replicaSet returns the ReplicaSet of that name if it still is the same object.
func (c *Cluster) replicaSet(name, uid string) (*replicaset.ReplicaSet, error) {
	i := slices.IndexFunc(c.ReplicaSets, func(rs replicaset.ReplicaSet) bool { return rs.Name == name })
	switch {
	case i < 0:
		return nil, fmt.Errorf("replica set %s: not found", name)
	case c.ReplicaSets[i].UID != uid:
		return nil, fmt.Errorf("replica set %s: planned for UID %q, found %q", name, uid, c.ReplicaSets[i].UID)
	}
	return &c.ReplicaSets[i], nil
}

// setController changes the controller of a ReplicaSet.
func (c *Cluster) setController(name, uid, ownerKind, ownerName, ownerUID string) error {
	rs, err := c.replicaSet(name, uid)
	if err != nil {
		return fmt.Errorf("claim %w", err)
	}
	rs.ControllerKind, rs.ControllerName, rs.ControllerUID = ownerKind, ownerName, ownerUID
	return nil
}

// claimPod changes the controller of a pod.
func (c *Cluster) claimPod(name, uid, ownerKind, ownerName, ownerUID string) error {
	p := c.pod(c.index.number(uid))
	if p == nil || p.Name != name {
		return fmt.Errorf("claim pod %s: there is no such pod with UID %q", name, uid)
	}
	p.ControllerKind, p.ControllerName, p.ControllerUID = ownerKind, ownerName, ownerUID
	return nil
}

// withHash returns the selector of a new ReplicaSet: the Deployment's, and the hash.
func withHash(s *selector.LabelSelector, hash string) *selector.LabelSelector {
	if s == nil {
		return nil
	}
	labels := with(s.MatchLabels, map[string]string{revision.LabelHash: hash})
	return &selector.LabelSelector{MatchLabels: labels, MatchExpressions: s.MatchExpressions}
}

// uidPrefix is what the UIDs of new objects begin with. Their number follows.
const uidPrefix = "sim-"

func (c *Cluster) newUID() string {
	c.serial++
	return uidPrefix + strconv.Itoa(c.serial)
}

// snapshot returns the input of the Deployment's planner.
func (c *Cluster) snapshot() deploy.Snapshot {
	return deploy.Snapshot{Deployment: c.Deployment, ReplicaSets: c.ReplicaSets, Pods: c.Pods}
}

func (c *Cluster) complete() bool {
	replicas := int32(1)
	if c.Deployment.Replicas != nil {
		replicas = *c.Deployment.Replicas
	}
	return deploy.Complete(c.Deployment.Status, replicas, c.Deployment.Generation)
}

func sizeOf(rs *replicaset.ReplicaSet) int32 {
	if rs.Replicas == nil {
		return 1
	}
	return *rs.Replicas
}

// with returns a copy of m with the entries of set.
func with(m, set map[string]string) map[string]string {
	merged := make(map[string]string, len(m)+len(set))
	maps.Copy(merged, m)
	maps.Copy(merged, set)
	return merged
}
