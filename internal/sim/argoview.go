// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"fmt"
	"strconv"
	"time"

	"github.com/kplan-go/kplan/internal/apply"
	"github.com/kplan-go/kplan/internal/ptr"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/rollout/argo"
	"github.com/kplan-go/kplan/selector"
)

// What Argo calls its Rollouts, and notes on ReplicaSets.
const (
	argoKind     = "Rollout"
	argoRevision = "rollout.argoproj.io/revision"
	argoDesired  = "rollout.argoproj.io/desired-replicas"
	argoDeadline = "scale-down-deadline"
)

// replicaSet is the one that an action creates.
func (r *ArgoRollout) replicaSet(a argo.CreateReplicaSet, now time.Time) *replicaSet {
	labels := apply.With(r.TemplateLabels, map[string]string{argo.HashLabel: a.Hash})
	return &replicaset.ReplicaSet{
		Name: a.Name, Replicas: &a.Replicas, Generation: 1, MinReadySeconds: r.MinReadySeconds, CreationTimestamp: now,
		Template: revision.Template{ID: a.Hash, Hash: a.Hash}, TemplateLabels: labels, Selector: selector.FromLabels(labels),
		ControllerKind: argoKind, ControllerName: r.Name, ControllerUID: r.UID,
		Annotations: map[string]string{argoRevision: strconv.FormatInt(a.Revision, 10), argoDesired: fmt.Sprint(a.Desired)},
	}
}

// seenByArgo is a ReplicaSet as its planner sees it.
func seenByArgo(rs *replicaSet) argo.ReplicaSet {
	o := argo.ReplicaSet{
		Name: rs.Name, Hash: rs.Template.Hash, CreationTimestamp: rs.CreationTimestamp, ReadyReplicas: rs.Status.ReadyReplicas,
		Size: argo.Size{Replicas: sizeOf(rs), AvailableReplicas: rs.Status.AvailableReplicas, StatusReplicas: rs.Status.Replicas},
	}
	o.Revision, _ = strconv.ParseInt(rs.Annotations[argoRevision], 10, 64)
	if n, err := strconv.ParseInt(rs.Annotations[argoDesired], 10, 32); err == nil {
		o.DesiredReplicas = ptr.To(int32(n))
	}
	if at, err := time.Parse(time.RFC3339, rs.Annotations[argoDeadline]); err == nil {
		o.ScaleDownAt = at
	}
	return o
}

// snapshot is what the controller sees of a Rollout, and its ReplicaSets by their hashes.
// Analyses succeed, but what has been said about them.
func (c *argoController) snapshot(r *ArgoRollout, now time.Time) (*argo.Snapshot, map[string]*replicaSet) {
	store := c.w.store
	s, sets := &argo.Snapshot{Rollout: r.Rollout, Routes: r.Routes}, map[string]*replicaSet{}
	for _, rs := range store.replicaSets.appendOf(nil, r.UID, c.view[KindReplicaSet]) {
		o := seenByArgo(&rs)
		if sets[o.Hash] != nil {
			continue // two of one template, of which the older counts
		}
		s.Sets, sets[o.Hash] = append(s.Sets, o), &rs
		if o.Hash == r.TemplateHash {
			s.Rollout.Revision = o.Revision
		}
	}
	for _, run := range []*argo.Run{&s.Rollout.Status.Runs.Step, &s.Rollout.Status.Runs.Background, &s.Rollout.Status.Runs.PrePromotion, &s.Rollout.Status.Runs.PostPromotion} {
		if run.Phase == "" {
			run.Phase = argo.RunSuccessful
		}
	}
	services := store.services.at(c.view[KindService])
	service := func(name string) *argo.Service {
		o := find(&store.services, services, name)
		if o == nil {
			return nil
		}
		_, managed := o.Selector[argo.HashLabel]
		return &argo.Service{Name: o.Name, Selector: o.Selector, Managed: managed}
	}
	s.Active, s.Preview, s.StableService = service(r.ActiveService), service(r.PreviewService), service(r.StableService)
	s.CanaryService, s.Ping, s.Pong = service(r.CanaryService), service(r.PingService), service(r.PongService)
	if r.RestartAt.After(r.Status.RestartedAt) {
		c.pods(s, sets, now)
	}
	return s, sets
}

// pods adds those that a restart looks at.
func (c *argoController) pods(s *argo.Snapshot, sets map[string]*replicaSet, now time.Time) {
	for i := range s.Sets {
		rs := sets[s.Sets[i].Hash]
		for _, p := range c.w.store.pods.appendOf(nil, rs.UID, c.view[KindPod]) {
			if !p.Finished() {
				s.Pods = append(s.Pods, argo.Pod{
					Name: p.Name, CreationTimestamp: p.CreationTimestamp, Available: p.Available(rs.MinReadySeconds, now), Deleting: !p.DeletionTimestamp.IsZero(),
				})
			}
		}
	}
}
