// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"maps"
	"reflect"
	"slices"
	"time"

	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/internal/apply"
	"github.com/kplan-go/kplan/internal/ptr"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/revision"
)

// A Cluster is a Deployment with its ReplicaSets and pods at one instant. It
// stands for the API server and its store.
type Cluster struct {
	Now         time.Time
	Deployment  deploy.Deployment
	ReplicaSets []replicaset.ReplicaSet
	Pods        []*podorder.Pod // in any order; those that a run creates come last. It writes to none

	serial int // how many objects runs have created
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
			rs.Replicas = ptr.To(*rs.Replicas)
		}
	}
	clone.Pods = slices.Clone(c.Pods)
	return clone
}

// Update makes d the wanted state, as applying a changed manifest does: identity,
// status and the published revision stay, and the generation rises if anything
// else changes.
func (c *Cluster) Update(d deploy.Deployment) {
	old := c.Deployment
	d.Name, d.UID, d.Generation, d.Status = old.Name, old.UID, old.Generation, old.Status
	if number, ok := old.Annotations[revision.AnnotationRevision]; ok {
		d.Annotations = apply.With(d.Annotations, map[string]string{revision.AnnotationRevision: number})
	}
	if !reflect.DeepEqual(d, old) {
		d.Generation++
	}
	c.Deployment = d
}

func sizeOf(rs *replicaset.ReplicaSet) int32 {
	if rs.Replicas == nil {
		return 1
	}
	return *rs.Replicas
}
