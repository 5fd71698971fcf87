// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"strings"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/rollout/sim/cluster"
	"github.com/kplan-go/kplan/rollout/sim/internal/apiserver"
	"github.com/kplan-go/kplan/rollout/sim/internal/store"
)

// loadMeta sets the fields of Deployments and DaemonSets that their own planners do not read.
func (w *intake) loadMeta(list []cluster.Meta) {
	for _, m := range list {
		r := apiserver.By(store.User, m.Name)
		if m.Kind == daemonset.Kind {
			apiserver.Update(w.server, &w.server.DaemonSets, r, func(d *store.DaemonSet) { d.Labels = m.Labels })
			continue
		}
		apiserver.Update(w.server, &w.server.Deployments, r, func(d *store.Deployment) {
			d.Labels, d.Finalizers, d.OwnerUID = m.Labels, m.Finalizers, m.ControllerUID
			if !m.CreationTimestamp.IsZero() {
				d.CreatedAt = m.CreationTimestamp
			}
		})
	}
}

// metaOf returns the fields of Deployments and DaemonSets that their own planners do not read, for
// objects that have any.
func metaOf(s *store.Store) (list []cluster.Meta) {
	for _, d := range s.Deployments.All() {
		if len(d.Labels)+len(d.Finalizers) > 0 || d.OwnerUID != "" {
			list = append(list, cluster.Meta{
				Kind: deploy.Kind, Name: d.Name, Labels: d.Labels, Finalizers: d.Finalizers, ControllerUID: d.OwnerUID, CreationTimestamp: d.CreatedAt,
			})
		}
	}
	for _, d := range s.DaemonSets.All() {
		if len(d.Labels) > 0 {
			list = append(list, cluster.Meta{Kind: daemonset.Kind, Name: d.Name, Labels: d.Labels})
		}
	}
	return list
}

// validMeta notes metadata of missing Deployments and DaemonSets.
func validMeta(s *cluster.Snapshot, errs *kplan.FieldErrors) {
	type object struct{ kind, name string }
	there := map[object]bool{}
	for i := range s.Deployments {
		there[object{deploy.Kind, s.Deployments[i].Name}] = true
	}
	for i := range s.DaemonSets {
		there[object{daemonset.Kind, s.DaemonSets[i].Name}] = true
	}
	for i := range s.AdvancedDaemonSets {
		there[object{daemonset.Kind, s.AdvancedDaemonSets[i].Name}] = true
	}
	for _, m := range s.Meta {
		if !there[object{m.Kind, m.Name}] {
			errs.Add(kplan.ElementPath("Meta", m.Name)+".Kind", m.Kind, "must be the kind of a Deployment or a DaemonSet with this name")
		}
	}
}

// ownerOfRelease returns the UID of the Rollout of a BatchRelease. Both have the same name.
func ownerOfRelease(s *cluster.Snapshot, name string) string {
	for i := range s.Rollouts {
		if s.Rollouts[i].Name == name {
			return s.Rollouts[i].UID
		}
	}
	return ""
}

// ownerOfService returns the UID of the Rollout that has created a canary Service, "" for other
// Services.
func ownerOfService(s *cluster.Snapshot, name string) string {
	stable, made := strings.CutSuffix(name, "-canary")
	for i := range s.Rollouts {
		of := s.Rollouts[i].Strategy()
		if made && of != nil && len(of.TrafficRoutings) > 0 && of.TrafficRoutings[0].Service == stable {
			return s.Rollouts[i].UID
		}
	}
	return ""
}
