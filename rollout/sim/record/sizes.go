// SPDX-License-Identifier: Apache-2.0

package record

import (
	"maps"
	"math"
	"slices"
	"time"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/rollout/argo"
	"github.com/kplan-go/kplan/rollout/kruise"
	"github.com/kplan-go/kplan/rollout/sim/cluster"
)

// Sizes are the sizes of a workload and the state of its Rollout, from an instant on.
type Sizes struct {
	Time      time.Time
	Parts     []Part // in the order of creation
	Available int32  // pods, by the statuses of the parts or, if they have none, of the workload
	// Zones are the numbers of pods that run in each zone and are not being deleted; nil if no node
	// has had a zone.
	Zones map[string]int32
	// Traffic is the percentage of requests to pods of the wanted template, rounded down; -1 if no
	// Rollout leads requests. A Service shares requests out among the ready pods that it selects.
	// Requests that a match leads elsewhere do not count.
	Traffic int32
	Progress
	// Object is the workload, which must not be changed: a pointer to the object of a
	// cluster.Snapshot. Sizes that differ only in it are merged.
	Object any
}

// Progress is the progress of a Rollout; it is zero for other workloads.
type Progress struct {
	Phase   string // as in its status
	Step    int32  // from 1; 0 if it is in none
	State   string // of the step of a Rollout of OpenKruise, or which Service of two of Argo has the new pods
	Message string // of a Rollout of Argo
	Paused  bool   // it waits before it goes on
	Aborted bool   // a Rollout of Argo was
}

// A Part is the pods of one template in [Sizes]: a ReplicaSet, or pods of one hash.
type Part struct {
	Name             string // of the ReplicaSet, or the hash
	Template         string // the ID of the template, or the hash
	Revision         int64  // 0 if it has none
	Wanted           int32  // or, if there is no ReplicaSet, there and not being deleted
	Ready, Available int32  // 0 available without a ReplicaSet
	New              bool   // it is of the wanted template
}

// measured returns the current sizes.
func (s *Steps) measured(r *run, at time.Time) Sizes {
	z := Sizes{Time: at, Object: r.object, Traffic: -1, Progress: s.progress(r)}
	for _, of := range r.all() {
		ready := int32(0)
		for _, p := range of.parts {
			p.Part.New = s.isNew(of, p)
			z.Parts = append(z.Parts, p.Part)
			z.Available += p.Available
			ready += p.Ready
		}
		switch o := of.object.(type) { // statuses may count pods that are being deleted, Rollouts do not
		case *daemonset.DaemonSet:
			z.Available += o.Status.NumberAvailable
			if r != of {
				z.Available = min(z.Available, ready)
			}
		case *cluster.Set:
			z.Available += min(o.Status.AvailableReplicas, ready)
		}
	}
	for zone := range s.names {
		if z.Zones == nil {
			z.Zones = map[string]int32{}
		}
		z.Zones[zone] = r.zone(zone)
	}
	switch o := r.object.(type) {
	case *kruise.Rollout:
		z.Traffic = s.released(o, z.Parts)
	case *cluster.ArgoRollout:
		z.Traffic = s.shifted(o)
	}
	return z
}

// equal reports whether two sizes are equal, apart from the time and the object.
func (z *Sizes) equal(o *Sizes) bool {
	return slices.Equal(z.Parts, o.Parts) && z.Available == o.Available && maps.Equal(z.Zones, o.Zones) && z.Traffic == o.Traffic && z.Progress == o.Progress
}

// progress returns the progress of a Rollout.
func (s *Steps) progress(r *run) (p Progress) {
	switch o := r.object.(type) {
	case *kruise.Rollout:
		p.Phase = string(o.Status.Phase)
		if sub := o.Status.Sub; sub != nil && o.Status.Phase == kruise.PhaseProgressing && o.Status.ProgressingReason() != kruise.ProgressInitializing {
			p.Step, p.State = sub.CurrentStepIndex, string(sub.CurrentStepState) // else they are of the release before
		}
		p.Paused = p.State == string(kruise.StatePaused)
	case *cluster.ArgoRollout:
		p.Phase, p.Message, p.Aborted = string(o.Status.Phase), o.Status.Message, o.Status.Abort
		if i := o.Status.CurrentStepIndex; i != nil && *i < math.MaxInt32 {
			p.Step = *i + 1
		}
		p.Paused, p.State = o.Status.Phase == argo.PhasePaused, string(s.turn(o))
	}
	return p
}

// flush notes the sizes of the workloads that changed at the last instant.
func (s *Steps) flush() {
	for r := range s.dirty {
		z := s.measured(r, s.now)
		if n := len(r.sizes); n == 0 || !r.sizes[n-1].equal(&z) {
			r.sizes = append(r.sizes, z)
		}
	}
	clear(s.dirty)
}

// completed notes the time since which a workload is complete.
func (s *Steps) completed(r *run, now time.Time) {
	switch {
	case !s.isComplete(r):
		r.complete = time.Time{}
	case r.complete.IsZero():
		r.complete = now
	}
}

// isComplete reports whether all wanted pods exist, have the wanted template, and are available.
func (s *Steps) isComplete(r *run) bool {
	switch o := r.object.(type) {
	case *deploy.Deployment:
		return deploy.Complete(o.Status, orOne(o.Replicas), o.Generation)
	case *daemonset.DaemonSet: // as in kubectl rollout status, less the nodes that the partition keeps
		st := &o.Status
		kept := o.Partition.Of(st.DesiredNumberScheduled)
		return st.ObservedGeneration >= o.Generation && st.UpdatedNumberScheduled >= st.DesiredNumberScheduled-kept && st.NumberAvailable >= st.DesiredNumberScheduled
	case *cluster.Set:
		st, n := &o.Status, o.DesiredReplicas()
		return st.ObservedGeneration >= o.Generation && st.Replicas == n && st.UpdatedReplicas >= n-o.Partition.Of(n) && st.AvailableReplicas >= n
	case *kruise.Rollout:
		return o.Status.Phase == kruise.PhaseHealthy && !r.batch && s.replaced(r)
	case *cluster.ArgoRollout:
		st := &o.Status
		for _, p := range r.parts {
			if !s.isNew(r, p) && p.Wanted > 0 {
				return false
			}
		}
		return st.Phase == argo.PhaseHealthy && st.StableRS == o.TemplateHash && (o.RestartAt.IsZero() || o.RestartAt.Equal(st.RestartedAt))
	}
	for _, p := range r.parts { // a ReplicaSet by itself
		return p.observed && p.Available == p.Wanted && p.there == p.Wanted
	}
	return false
}

// replaced reports whether all pods of the workloads of a Rollout are new and available.
func (s *Steps) replaced(r *run) bool {
	z, fresh := s.measured(r, s.now), int32(0)
	for _, p := range z.Parts {
		if !p.New && p.Wanted > 0 {
			return false
		}
		fresh += p.Wanted
	}
	return fresh > 0 && z.Available == fresh
}

func orOne(n *int32) int32 {
	if n == nil {
		return 1
	}
	return *n
}
