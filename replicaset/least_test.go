// SPDX-License-Identifier: Apache-2.0

package replicaset_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/kplan-go/kplan/internal/base/ptr"
	"github.com/kplan-go/kplan/internal/verify/purity"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/replicaset/expect"
	"github.com/kplan-go/kplan/selector"
)

// leastSnapshot wants three pods and has two, one of which has just become ready.
func leastSnapshot() replicaset.Snapshot {
	labels := map[string]string{"app": "web"}
	return replicaset.Snapshot{
		ReplicaSet: replicaset.ReplicaSet{
			Name: "web", UID: "r", Replicas: ptr.To(int32(3)), MinReadySeconds: 10,
			Selector: &selector.LabelSelector{MatchLabels: labels}, TemplateLabels: map[string]string{"app": "web", "tier": "x"},
		},
		Pods: []podorder.Pod{
			{Name: "a", UID: "a1", ControllerUID: "r", Labels: labels, Phase: podorder.Running, NodeName: "n1", Ready: true, ReadySince: t0.Add(-time.Hour)},
			{Name: "b", UID: "b1", ControllerUID: "r", Labels: labels, Phase: podorder.Running, NodeName: "n2", Ready: true, ReadySince: t0.Add(-time.Second)},
		},
	}
}

// shrunk lets one of its two pods be too many.
func shrunk(s *replicaset.Snapshot) { s.ReplicaSet.Replicas = ptr.To(int32(1)) }

// TestLeastSnapshot leaves out each field of the table in the comment of Snapshot: without
// it there is the error, or the plan is another one.
func TestLeastSnapshot(t *testing.T) {
	purity.Least(t, "snapshot.go", leastSnapshot, []purity.Row[replicaset.Snapshot]{
		{Field: "now", Err: `now: "": must be set`},
		{
			Field: "ReplicaSet.Name", Leave: func(s *replicaset.Snapshot) { s.ReplicaSet.Name = "" },
			Err: `ReplicaSet.Name: "": must be set`,
		},
		{
			Field: "ReplicaSet.UID", Leave: func(s *replicaset.Snapshot) { s.ReplicaSet.UID = "" },
			Err: `ReplicaSet.UID: "": must be set, because it decides which pods belong to the ReplicaSet`,
		},
		{Field: "Pods[].Name", Leave: func(s *replicaset.Snapshot) { s.Pods[0].Name = "" }, Err: `Pods[""].Name: "": must be set`},
		{
			Field: "Pods[].ControllerUID", Edit: func(s *replicaset.Snapshot) { s.ReplicaSet.Selector = nil },
			Leave: func(s *replicaset.Snapshot) { s.Pods[0].ControllerUID = "" },
			With:  "Created 1 pods", Less: "Created 2 pods",
		},
		{
			Field: "ReplicaSet.Replicas", Leave: func(s *replicaset.Snapshot) { s.ReplicaSet.Replicas = nil },
			With: "Created 1 pods", Less: "Deleted pod: b",
		},
		{
			Field: "ReplicaSet.Selector", Edit: func(s *replicaset.Snapshot) { s.Pods[0].Labels = nil },
			Leave: func(s *replicaset.Snapshot) { s.ReplicaSet.Selector = nil },
			With:  "Released pod: a", Less: "Created 1 pods",
		},
		{
			Field: "ReplicaSet.DeletionTimestamp", Edit: func(s *replicaset.Snapshot) { s.ReplicaSet.DeletionTimestamp = t0 },
			Leave: func(s *replicaset.Snapshot) { s.ReplicaSet.DeletionTimestamp = time.Time{} },
			With:  "Deleting (2 of 3)", Less: "Created 1 pods",
		},
		{
			Field: "ReplicaSet.MinReadySeconds", Leave: func(s *replicaset.Snapshot) { s.ReplicaSet.MinReadySeconds = 0 },
			With: "1 available", Less: "2 available",
		},
		{
			Field: "ReplicaSet.TemplateLabels", Leave: func(s *replicaset.Snapshot) { s.ReplicaSet.TemplateLabels = nil },
			With: "0 with all labels", Less: "2 with all labels",
		},
		{Field: "Pods[].Labels", Leave: func(s *replicaset.Snapshot) { s.Pods[0].Labels = nil }, With: "Created 1 pods", Less: "Released pod: a"},
		{
			Field: "Pods[].Phase", Edit: func(s *replicaset.Snapshot) { s.Pods[0].Phase = podorder.Failed },
			Leave: func(s *replicaset.Snapshot) { s.Pods[0].Phase = "" },
			With:  "Created 2 pods", Less: "Created 1 pods",
		},
		{
			Field: "Pods[].DeletionTimestamp", Edit: func(s *replicaset.Snapshot) { s.Pods[0].DeletionTimestamp = t0 },
			Leave: func(s *replicaset.Snapshot) { s.Pods[0].DeletionTimestamp = time.Time{} },
			With:  "Created 2 pods", Less: "Created 1 pods",
		},
		{Field: "Pods[].Ready", Leave: func(s *replicaset.Snapshot) { s.Pods[0].Ready = false }, With: "2 ready", Less: "1 ready"},
		{
			Field: "Pods[].ReadySince", Leave: func(s *replicaset.Snapshot) { s.Pods[0].ReadySince = time.Time{} },
			With: "1 available", Less: "0 available",
		},
		{Field: "Pods[].NodeName", Edit: shrunk, Leave: func(s *replicaset.Snapshot) { s.Pods[0].NodeName = "" }, With: "Deleted pod: b", Less: "Deleted pod: a"},
		{Field: "Pods[].UID", Edit: shrunk, Leave: func(s *replicaset.Snapshot) { s.Pods[1].UID = "" }, With: "of UID b1", Less: "of UID ;"},
		{
			Field: "Pods[].Annotations", Edit: func(s *replicaset.Snapshot) {
				shrunk(s)
				s.Pods[0].Annotations = map[string]string{podorder.AnnotationDeletionCost: "-1"}
			},
			Leave: func(s *replicaset.Snapshot) { s.Pods[0].Annotations = nil },
			With:  "Deleted pod: a", Less: "Deleted pod: b",
		},
		{
			Field: "Siblings", Edit: func(s *replicaset.Snapshot) {
				shrunk(s)
				s.ReplicaSet.ControllerUID = "d"
				s.Siblings = []replicaset.ReplicaSet{{Name: "old", UID: "o", ControllerUID: "d", Selector: &selector.LabelSelector{MatchLabels: map[string]string{"app": "old"}}}}
				s.Pods = append(s.Pods, podorder.Pod{Name: "c", UID: "c1", ControllerUID: "o", Labels: map[string]string{"app": "old"}, NodeName: "n1"})
			},
			Leave: func(s *replicaset.Snapshot) { s.Siblings = nil },
			With:  "Deleted pod: a", Less: "Deleted pod: b",
		},
		{
			Field: "Expectations", Edit: func(s *replicaset.Snapshot) { s.Expectations = expect.Creations(1, t0) },
			Leave: func(s *replicaset.Snapshot) { s.Expectations = expect.Expectations{} },
			With:  "Expectations", Less: "Created 1 pods",
		},
	}, func(s replicaset.Snapshot, now time.Time) (string, error) {
		p, err := replicaset.Reconcile(s, now, replicaset.Options{})
		text := fmt.Sprintf("%v; %v, %d with all labels", p, p.Status, p.Status.FullyLabeledReplicas)
		for _, a := range p.Actions {
			if d, ok := a.(replicaset.DeletePod); ok {
				text += " of UID " + d.UID + ";"
			}
		}
		return text, err
	}, t0)
}
