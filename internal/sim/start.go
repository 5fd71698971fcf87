// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"fmt"
	"math"
	"time"

	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/internal/ptr"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/replicaset"
)

// Finished returns a cluster in which d has been rolled out an hour ago: its
// ReplicaSet has revision 1 and all its pods are available. It is what rolling d
// out from nothing leads to, so status and annotations are those that the planners
// write.
func Finished(d deploy.Deployment) (Cluster, error) {
	paused := d.Paused
	d.Paused = false
	d.Generation, d.Status = max(d.Generation, 1), deploy.Status{}
	result, err := Run(Cluster{Now: Epoch, Deployment: d}, Config{
		TimeLimit: math.MaxInt64, ReplicaSetOptions: replicaset.Options{Burst: math.MaxInt32},
	})
	if err != nil {
		return Cluster{}, err
	}
	if !result.Done {
		return Cluster{}, fmt.Errorf("deployment %s does not roll out", d.Name)
	}
	c := result.Cluster
	c.Now = c.Now.Add(time.Hour)
	c.Deployment.Paused = paused
	return c, nil
}

// AddReportedPods adds the pods that the statuses of ReplicaSets without pods in c
// tell of. It serves snapshots that were taken without pods.
func (c *Cluster) AddReportedPods() {
	have := map[string]bool{}
	for i := range c.Pods {
		have[c.Pods[i].ControllerUID] = true
	}
	*c = c.Clone() // so that new pods do not appear in the caller's list
	for i := range c.ReplicaSets {
		rs := &c.ReplicaSets[i]
		if have[rs.UID] {
			continue
		}
		for n := range rs.Status.Replicas {
			c.reportedPod(rs, n)
		}
	}
}

// reportedPod adds the pod number n of rs: the available ones come first, then
// those that are ready and then the rest.
func (c *Cluster) reportedPod(rs *replicaset.ReplicaSet, n int32) {
	c.serial++
	p := ptr.To(newPod(rs, uidPrefix, c.serial, c.Now))
	c.Pods = append(c.Pods, p)
	p.NodeName, p.Phase = "node-1", podorder.Running
	if n >= rs.Status.ReadyReplicas {
		return
	}
	p.Ready, p.ReadySince = true, c.Now
	if n < rs.Status.AvailableReplicas {
		p.ReadySince = c.Now.Add(-time.Duration(rs.MinReadySeconds) * time.Second)
	}
}
