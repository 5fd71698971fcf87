// SPDX-License-Identifier: Apache-2.0

package daemonset_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/internal/verify/purity"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/selector"
)

// leastSnapshot rolls out h2 over two nodes with pods of h1, one of which is not available
// yet, and a third node without a pod.
func leastSnapshot() daemonset.Snapshot {
	labels := map[string]string{"app": "logs", daemonset.LabelHash: "h1"}
	return daemonset.Snapshot{
		DaemonSet: daemonset.DaemonSet{
			Name: "logs", UID: "d", Selector: &selector.LabelSelector{MatchLabels: map[string]string{"app": "logs"}}, MinReadySeconds: 10,
			Template: daemonset.Template{Hash: "h2", Data: []byte("two")}, MaxUnavailable: rollout.Int(2),
		},
		Nodes: []daemonset.Node{{Name: "n1"}, {Name: "n2"}, {Name: "n3", Taints: []daemonset.Taint{{Key: "gpu", Effect: daemonset.NoSchedule}}}},
		Pods: []daemonset.Pod{
			{Pod: podorder.Pod{Name: "a", UID: "a1", ControllerUID: "d", Labels: labels, NodeName: "n1", Phase: podorder.Running, Ready: true, ReadySince: t0.Add(-time.Hour)}},
			{Pod: podorder.Pod{Name: "b", UID: "b1", ControllerUID: "d", Labels: labels, NodeName: "n2", Phase: podorder.Running, Ready: true, ReadySince: t0.Add(-time.Second)}},
		},
		Revisions: []revision.ControllerRevision{
			leastRevision("h1", "one", 1), leastRevision("h2", "two", 2),
		},
	}
}

func leastRevision(hash, data string, number int64) revision.ControllerRevision {
	return revision.ControllerRevision{
		Name: "logs-" + hash, UID: "revision " + hash, ControllerUID: "d", Data: []byte(data), Revision: number,
		Labels: map[string]string{"app": "logs", daemonset.LabelHash: hash},
	}
}

// TestLeastSnapshot leaves out each field of the table in the comment of Snapshot: without
// it there is the error, or the plan is another one.
func TestLeastSnapshot(t *testing.T) {
	purity.Least(t, "snapshot.go", leastSnapshot, []purity.Row[daemonset.Snapshot]{
		{Field: "now", Err: `now: "": must be set`},
		{Field: "DaemonSet.Name", Leave: func(s *daemonset.Snapshot) { s.DaemonSet.Name = "" }, Err: `DaemonSet.Name: "": must be set`},
		{
			Field: "DaemonSet.UID", Leave: func(s *daemonset.Snapshot) { s.DaemonSet.UID = "" },
			Err: `DaemonSet.UID: "": must be set, because it decides which pods belong to the DaemonSet`,
		},
		{
			Field: "DaemonSet.Selector", Leave: func(s *daemonset.Snapshot) { s.DaemonSet.Selector = nil },
			Err: `DaemonSet.Selector: "": must be set, because without it every pod would be released`,
		},
		{
			Field: "DaemonSet.Template.Hash", Leave: func(s *daemonset.Snapshot) { s.DaemonSet.Template.Hash = "" },
			Err: `DaemonSet.Template.Hash: "": must be set, because it names new revisions`,
		},
		{Field: "Nodes[].Name", Leave: func(s *daemonset.Snapshot) { s.Nodes[0].Name = "" }, Err: `Nodes[""].Name: "": must be set`},
		{Field: "Pods[].Name", Leave: func(s *daemonset.Snapshot) { s.Pods[0].Name = "" }, Err: `Pods[""].Name: "": must be set`},
		{Field: "Revisions[].Name", Leave: func(s *daemonset.Snapshot) { s.Revisions[0].Name = "" }, Err: `Revisions[""].Name: "": must be set`},
		{
			Field: "DaemonSet.Template.Data", Leave: func(s *daemonset.Snapshot) { s.DaemonSet.Template.Data = nil },
			With: "Deleted pod: a", Less: "Collision",
		},
		{
			Field: "DaemonSet.Template.Tolerations", Edit: func(s *daemonset.Snapshot) {
				s.DaemonSet.Template.Tolerations = []daemonset.Toleration{{Key: "gpu", Operator: daemonset.TolerationExists}}
			},
			Leave: func(s *daemonset.Snapshot) { s.DaemonSet.Template.Tolerations = nil },
			With:  "3 desired", Less: "2 desired",
		},
		{Field: "Nodes[].Taints", Leave: func(s *daemonset.Snapshot) { s.Nodes[2].Taints = nil }, With: "2 desired", Less: "3 desired"},
		{
			Field: "Nodes[].Labels", Edit: func(s *daemonset.Snapshot) {
				s.DaemonSet.Template.NodeSelector = map[string]string{"disk": "ssd"}
				for i := range s.Nodes {
					s.Nodes[i].Labels = s.DaemonSet.Template.NodeSelector
				}
			},
			Leave: func(s *daemonset.Snapshot) { s.Nodes[0].Labels = nil },
			With:  "2 desired", Less: "1 desired",
		},
		{
			Field: "DaemonSet.MaxUnavailable", Leave: func(s *daemonset.Snapshot) { s.DaemonSet.MaxUnavailable = rollout.IntOrPercent{} },
			With: "Deleted pod: a", Less: "MaxUnavailable (1 of 1)",
		},
		{
			Field: "DaemonSet.MinReadySeconds", Leave: func(s *daemonset.Snapshot) { s.DaemonSet.MinReadySeconds = 0 },
			With: "1 available", Less: "2 available",
		},
		{
			Field: "Pods[].ControllerUID", Leave: func(s *daemonset.Snapshot) { s.Pods[0].ControllerUID = "" },
			With: "plan: Deleted", Less: "plan: Adopted pod a",
		},
		{
			Field: "Pods[].NodeName", Leave: func(s *daemonset.Snapshot) { s.Pods[0].NodeName = "" },
			With: "Deleted pod: a", Less: "Created pod on node n1",
		},
		{
			Field: "Pods[].Labels", Edit: func(s *daemonset.Snapshot) {
				for i := range s.Pods {
					s.Pods[i].Labels = map[string]string{"app": "logs", daemonset.LabelHash: "h2"}
				}
			},
			Leave: func(s *daemonset.Snapshot) { s.Pods[0].Labels = map[string]string{"app": "logs"} },
			With:  "2 updated", Less: "1 updated",
		},
		{
			Field: "Pods[].Phase", Edit: func(s *daemonset.Snapshot) { s.Pods[0].Phase = podorder.Failed },
			Leave: func(s *daemonset.Snapshot) { s.Pods[0].Phase = "" },
			With:  "Failed", Less: "Rollout",
		},
		{
			Field: "Pods[].DeletionTimestamp", Edit: func(s *daemonset.Snapshot) { s.Pods[0].DeletionTimestamp = t0 },
			Leave: func(s *daemonset.Snapshot) { s.Pods[0].DeletionTimestamp = time.Time{} },
			With:  "Terminating", Less: "Deleted pod: a",
		},
		{Field: "Pods[].Ready", Leave: func(s *daemonset.Snapshot) { s.Pods[0].Ready = false }, With: "2 ready", Less: "1 ready"},
		{
			Field: "Pods[].ReadySince", Leave: func(s *daemonset.Snapshot) { s.Pods[0].ReadySince = time.Time{} },
			With: "1 available", Less: "0 available",
		},
		{
			Field: "Revisions[].Data", Leave: func(s *daemonset.Snapshot) { s.Revisions[1].Data = nil },
			With: "Deleted pod: a", Less: "Collision",
		},
		{
			Field: "Unseen", Edit: func(s *daemonset.Snapshot) { s.Unseen = true }, Leave: func(s *daemonset.Snapshot) { s.Unseen = false },
			With: "Unseen", Less: "Deleted pod: a",
		},
	}, func(s daemonset.Snapshot, now time.Time) (string, error) {
		p, err := daemonset.Reconcile(s, now, daemonset.Options{})
		return fmt.Sprintf("plan: %v; %v", p, p.Status), err
	}, t0)
}
