// SPDX-License-Identifier: Apache-2.0

package world

import (
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/argo"
	"github.com/kplan-go/kplan/rollout/kruise"
	"github.com/kplan-go/kplan/rollout/sim"
	"github.com/kplan-go/kplan/rollout/sim/cluster"
	"github.com/kplan-go/kplan/rollout/sim/record"
)

// forever is longer than any simulation that ends.
const forever = 10 * 365 * 24 * time.Hour

// anywhere is the node name of pods that [Cluster.Place] has to place.
const anywhere = "(any)"

// RollOut rolls out the workloads with Earlier set: from nothing, an hour ago, in a separate
// cluster in which everything succeeds. So the planners have written their statuses and
// annotations, their ReplicaSets or ControllerRevisions have revision 1, and all their pods are
// available, except on nodes that are not ready. It returns the errors of workloads that do not
// roll out.
func (c *Cluster) RollOut(list []*Beginning) map[*Beginning]error {
	e := earlier{Snapshot: cluster.Snapshot{Now: c.Now.Add(-time.Hour)}, failed: map[*Beginning]error{}}
	var all []*Beginning
	for _, b := range list {
		if b.Earlier {
			all = append(all, b)
			e.add(b)
		}
	}
	if len(all) == 0 {
		return nil
	}
	if err := e.rollOut(all); err != nil {
		for _, b := range all {
			e.failed[b] = err
		}
		return e.failed
	}
	for _, restore := range e.restore {
		restore(&e.Snapshot)
	}
	e.into(c)
	return e.failed
}

// An earlier is the separate cluster of [Cluster.RollOut].
type earlier struct {
	cluster.Snapshot
	restore []func(*cluster.Snapshot) // restore fields that had to differ for the rollout
	failed  map[*Beginning]error
}

// add adds a workload, without the fields that would stop its rollout.
func (e *earlier) add(b *Beginning) {
	switch b.Kind {
	case sim.KindDeployment:
		d := *b.Deployment()
		paused := d.Paused
		d.Paused, d.Generation, d.Status = false, max(d.Generation, 1), deploy.Status{}
		e.Deployments = append(e.Deployments, d)
		e.restore = append(e.restore, func(s *cluster.Snapshot) { named(s.Deployments, deploymentName, b.Name).Paused = paused })
	case sim.KindReplicaSet:
		e.ReplicaSets = append(e.ReplicaSets, *b.ReplicaSet())
	case sim.KindDaemonSet:
		e.addDaemonSet(b)
	case sim.KindSet:
		e.Sets = append(e.Sets, *b.Set())
	case sim.KindArgoRollout:
		e.addArgo(b)
	case sim.KindRollout:
		e.addRelease(b)
	}
}

func (e *earlier) addDaemonSet(b *Beginning) {
	e.nodesOf(b.Cluster)
	d := *b.DaemonSet()
	paused, partition := d.Paused, d.Partition
	d.Paused, d.Partition, d.Generation, d.Status = false, rollout.IntOrPercent{}, max(d.Generation, 1), daemonset.Status{}
	b.putDaemonSet(&e.Snapshot, d)
	for _, r := range b.Revisions {
		if r.ControllerUID == "" || r.ControllerUID == d.UID {
			put(&e.Revisions, []revision.ControllerRevision{r}, revisionName)
		}
	}
	e.restore = append(e.restore, func(s *cluster.Snapshot) {
		d := daemonSetIn(s, b.Name)
		d.Paused, d.Partition = paused, partition
	})
}

// nodesOf adds the nodes of a cluster for DaemonSets. They are ready and have unlimited room.
func (e *earlier) nodesOf(c *Cluster) {
	if len(e.Nodes) > 0 {
		return
	}
	silent := map[string]bool{}
	for _, n := range c.Nodes {
		silent[n.Name] = n.NotReady
		n.Room, n.NotReady, n.NotReadySince = nil, false, time.Time{}
		e.Nodes = append(e.Nodes, n)
	}
	e.restore = append(e.restore, func(s *cluster.Snapshot) {
		for i := range s.DaemonPods {
			s.DaemonPods[i].Ready = !silent[s.DaemonPods[i].NodeName]
		}
	})
}

// addArgo adds a Rollout of Argo. If a requested restart lies in the past, its pods become newer
// than that.
func (e *earlier) addArgo(b *Beginning) {
	r, restart := *b.argo(), b.WantedArgo().RestartAt
	paused := r.Paused
	r.Paused, r.Generation, r.Status = false, max(r.Generation, 1), argo.Status{}
	if r.RestartAt.After(e.Now) {
		r.RestartAt = time.Time{}
	}
	at := b.argo().RestartAt
	e.ArgoRollouts = append(e.ArgoRollouts, r)
	put(&e.Services, b.Services, serviceName)
	now := b.Now
	e.restore = append(e.restore, func(s *cluster.Snapshot) {
		done := named(s.ArgoRollouts, argoName, b.Name)
		if done.Paused, done.RestartAt = paused, at; !at.After(now) {
			done.Status.RestartedAt = at
		}
		if !now.After(restart) {
			return
		}
		for i := range s.Pods {
			p := &s.Pods[i]
			if rs := ownerIn(s, p); rs != nil && rs.ControllerUID == done.UID && p.CreationTimestamp.Before(restart) {
				p.CreationTimestamp = restart
			}
		}
	})
}

// ownerIn returns the ReplicaSet of a pod, or nil.
func ownerIn(s *cluster.Snapshot, p *podorder.Pod) *replicaset.ReplicaSet {
	i := slices.IndexFunc(s.ReplicaSets, func(rs replicaset.ReplicaSet) bool { return rs.UID == p.ControllerUID })
	if i < 0 {
		return nil
	}
	return &s.ReplicaSets[i]
}

// addRelease adds a Rollout with its workload and traffic objects, without a release in progress.
func (e *earlier) addRelease(b *Beginning) {
	r := b.release()
	e.Rollouts = append(e.Rollouts, *r)
	switch r.WorkloadRef.Kind {
	case deploy.Kind:
		e.Deployments = append(e.Deployments, *b.Deployment())
	case daemonset.Kind:
		e.nodesOf(b.Cluster)
		b.putDaemonSet(&e.Snapshot, *b.DaemonSet())
	default:
		e.Sets = append(e.Sets, *b.Set())
	}
	put(&e.Services, b.Services, serviceName)
	put(&e.Routes, b.Routes, routeName)
	put(&e.Ingresses, b.Ingresses, ingressName)
}

// rollOut rolls out the workloads.
func (e *earlier) rollOut(list []*Beginning) error {
	config := sim.Config{ReplicaSet: replicaset.Options{Burst: math.MaxInt32}}
	steps := record.NewSteps(&config)
	w, err := sim.New(e.Snapshot, config)
	if err != nil {
		return err
	}
	if _, err = w.Settle(forever); err != nil {
		return err
	}
	e.Snapshot = w.Snapshot()
	for _, b := range list {
		_, complete := steps.Workload(b.Kind, b.Name)
		done := !complete.IsZero()
		if b.Kind == sim.KindRollout {
			done = named(e.Rollouts, releaseName, b.Name).Status.Phase == kruise.PhaseHealthy
		}
		if !done {
			e.failed[b] = fmt.Errorf("%s does not roll out", b.Name)
		}
	}
	return nil
}

// into adds the objects to the cluster in which the simulation begins.
func (e *earlier) into(c *Cluster) {
	c.made = nil
	for i := range e.Pods {
		if len(e.Nodes) > 0 || len(c.Nodes) > 0 {
			e.Pods[i].NodeName = anywhere
		}
	}
	put(&c.Deployments, e.Deployments, deploymentName)
	put(&c.ReplicaSets, e.ReplicaSets, replicaSetName)
	put(&c.Pods, e.Pods, func(o *podorder.Pod) string { return o.Name })
	put(&c.DaemonSets, e.DaemonSets, daemonSetName)
	put(&c.AdvancedDaemonSets, e.AdvancedDaemonSets, advancedName)
	put(&c.DaemonPods, e.DaemonPods, func(o *daemonset.Pod) string { return o.Name })
	put(&c.Revisions, e.Revisions, revisionName)
	put(&c.Sets, e.Sets, setName)
	put(&c.Rollouts, e.Rollouts, releaseName)
	put(&c.ArgoRollouts, e.ArgoRollouts, argoName)
	put(&c.Services, e.Services, serviceName)
	put(&c.Routes, e.Routes, routeName)
	put(&c.Ingresses, e.Ingresses, ingressName)
	put(&c.Meta, e.Meta, func(o *cluster.Meta) string { return o.Kind + " " + o.Name })
}
