// SPDX-License-Identifier: Apache-2.0

package deploytest

import (
	"maps"
	"slices"

	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/deploy/reason"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/revision"
)

// derive returns a plan that turns before into after. The order of the writes is not known
// from their results. ReplicaSets shrink first: in this order no bound is broken that holds
// at the end.
func derive(before, after *deploy.Snapshot, _ *deploy.Options) deploy.Plan {
	var shrinking, growing, others deploy.Actions
	known := map[string]*replicaset.ReplicaSet{}
	for i := range before.ReplicaSets {
		known[before.ReplicaSets[i].UID] = &before.ReplicaSets[i]
	}
	for i := range after.ReplicaSets {
		rs := &after.ReplicaSets[i]
		was := known[rs.UID]
		if was == nil {
			growing = append(growing, created(rs))
			continue
		}
		delete(known, rs.UID)
		switch {
		case was.ControllerUID == "" && rs.ControllerUID != "":
			others = append(others, deploy.AdoptReplicaSet{Name: rs.Name, UID: rs.UID, Reason: reason.Orphan})
		case was.ControllerUID != "" && rs.ControllerUID == "":
			others = append(others, deploy.ReleaseReplicaSet{Name: rs.Name, UID: rs.UID})
		}
		set := maps.Clone(rs.Annotations)
		maps.DeleteFunc(set, func(key, value string) bool { text, ok := was.Annotations[key]; return ok && text == value })
		from, to := size(was), size(rs)
		scale := deploy.ScaleReplicaSet{Name: rs.Name, UID: rs.UID, From: from, To: to, Set: rs.Annotations}
		switch {
		case to < from:
			shrinking = append(shrinking, scale)
		case to > from:
			growing = append(growing, scale)
		case len(set) > 0:
			others = append(others, deploy.AnnotateReplicaSet{Name: rs.Name, UID: rs.UID, Set: set})
		}
	}
	for i := range before.ReplicaSets {
		if rs := &before.ReplicaSets[i]; known[rs.UID] != nil {
			others = append(others, deploy.DeleteReplicaSet{Name: rs.Name, UID: rs.UID, ResourceVersion: rs.ResourceVersion})
		}
	}
	return deploy.Plan{Actions: slices.Concat(shrinking, growing, others), Status: after.Deployment.Status}
}

func created(rs *replicaset.ReplicaSet) deploy.CreateReplicaSet {
	number, _ := revision.Number(rs.Annotations)
	return deploy.CreateReplicaSet{Name: rs.Name, Replicas: size(rs), Template: rs.Template, Annotations: rs.Annotations, Revision: number}
}

func size(rs *replicaset.ReplicaSet) int32 {
	if rs.Replicas == nil {
		return 1
	}
	return *rs.Replicas
}
