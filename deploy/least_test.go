// SPDX-License-Identifier: Apache-2.0

package deploy_test

import (
	"testing"
	"time"

	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/internal/verify/purity"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/rollout"
)

// leastSnapshot rolls out v2 over ten pods of v1.
func leastSnapshot() deploy.Snapshot {
	ten, five, deadline := int32(10), int32(5), int32(60)
	return deploy.Snapshot{
		Deployment: deploy.Deployment{
			Name: "web", UID: "d", Replicas: &ten, Template: revision.Template{ID: "v2", Hash: "h2"}, MaxSurge: rollout.Int(3),
			ProgressDeadlineSeconds: &deadline,
		},
		ReplicaSets: []replicaset.ReplicaSet{
			leastSet("web-h1", "v1", &five), leastSet("web-h2", "v2", &five),
		},
	}
}

func leastSet(name, template string, size *int32) replicaset.ReplicaSet {
	return replicaset.ReplicaSet{
		Name: name, UID: name, ControllerUID: "d", Replicas: size, Template: revision.Template{ID: template},
		Annotations: map[string]string{revision.AnnotationDesired: "10", revision.AnnotationMax: "13"},
		Status:      replicaset.Status{Replicas: *size, ReadyReplicas: *size, AvailableReplicas: *size},
	}
}

// TestLeastSnapshot leaves out each field of the table in the comment of Snapshot: without
// it there is the error, or the plan is another one.
func TestLeastSnapshot(t *testing.T) {
	twelve := int32(12)
	purity.Least(t, "snapshot.go", leastSnapshot, []purity.Row[deploy.Snapshot]{
		{Field: "now", Err: "now: \"\": must be set"},
		{Field: "Deployment.Name", Leave: func(s *deploy.Snapshot) { s.Deployment.Name = "" }, Err: "Deployment.Name: \"\": must be set"},
		{
			Field: "Deployment.UID", Leave: func(s *deploy.Snapshot) { s.Deployment.UID = "" },
			Err: "Deployment.UID: \"\": must be set, because it decides which ReplicaSets belong to the Deployment",
		},
		{Field: "ReplicaSets[].Name", Leave: func(s *deploy.Snapshot) { s.ReplicaSets[0].Name = "" }, Err: `ReplicaSets[""].Name: "": must be set`},
		{Field: "ReplicaSets[].UID", Leave: func(s *deploy.Snapshot) { s.ReplicaSets[0].UID = "" }, Err: `ReplicaSets["web-h1"].UID: "": must be set`},
		{
			Field: "ReplicaSets[].ControllerUID", Leave: func(s *deploy.Snapshot) { s.ReplicaSets[1].ControllerUID = "" },
			With: "Scaled up replica set web-h2 from 5 to 8", Less: "web-h2 from 0 to",
		},
		{
			Field: "ReplicaSets[].Template.ID", Leave: func(s *deploy.Snapshot) { s.ReplicaSets[1].Template.ID = "" },
			With: "Scaled up replica set web-h2 from 5 to 8", Less: "web-h2 from 0 to",
		},
		{
			Field: "ReplicaSets[].Replicas", Leave: func(s *deploy.Snapshot) { s.ReplicaSets[1].Replicas = nil },
			With: "web-h2 from 5 to 8", Less: "web-h2 from 1 to 8",
		},
		{
			Field: "ReplicaSets[].Status", Edit: func(s *deploy.Snapshot) {
				s.Deployment.MaxSurge, s.Deployment.MaxUnavailable = rollout.Int(0), rollout.Int(3)
			},
			Leave: func(s *deploy.Snapshot) {
				s.ReplicaSets[0].Status, s.ReplicaSets[1].Status = replicaset.Status{}, replicaset.Status{}
			},
			With: "Scaled down replica set web-h1 from 5 to 2", Less: "MinAvailable (0 of 7)",
		},
		{
			Field: "ReplicaSets[].Annotations", Edit: func(s *deploy.Snapshot) { s.Deployment.Replicas = &twelve },
			Leave: func(s *deploy.Snapshot) { s.ReplicaSets[0].Annotations, s.ReplicaSets[1].Annotations = nil, nil },
			With:  "Scaling", Less: "RolloutUp",
		},
		{
			Field: "Deployment.Template.Hash", Edit: func(s *deploy.Snapshot) { s.Deployment.Template.ID = "v3" },
			Leave: func(s *deploy.Snapshot) { s.Deployment.Template.Hash = "" },
			With:  "web-h2 from 0 to", Less: "replica set web- from 0 to",
		},
		{
			Field: "Deployment.Replicas", Leave: func(s *deploy.Snapshot) { s.Deployment.Replicas = nil },
			With: "web-h2 from 5 to 8", Less: "web-h1 from 5 to 2 (Scaling)",
		},
		{
			Field: "Deployment.MaxSurge", Leave: func(s *deploy.Snapshot) { s.Deployment.MaxSurge = rollout.IntOrPercent{} },
			With: "web-h2 from 5 to 8", Less: "web-h1 from 5 to 4",
		},
		{
			Field: "Deployment.ProgressDeadlineSeconds", Leave: func(s *deploy.Snapshot) { s.Deployment.ProgressDeadlineSeconds = nil },
			With: "condition Progressing is there", Less: "condition Progressing is not there",
		},
		{
			Field: "Pods", Edit: func(s *deploy.Snapshot) {
				s.Deployment.Strategy, s.ReplicaSets = deploy.Recreate, s.ReplicaSets[:1]
				zero := int32(0)
				s.ReplicaSets[0] = leastSet("web-h1", "v1", &zero)
				s.Pods = []podorder.Pod{{Name: "old", ControllerUID: "web-h1", Phase: podorder.Running}}
			},
			Leave: func(s *deploy.Snapshot) { s.Pods = nil },
			With:  "OldPodsRemain", Less: "Scaled up replica set web-h2 from 0 to 10",
		},
	}, func(s deploy.Snapshot, now time.Time) (string, error) {
		p, err := deploy.Reconcile(s, now, deploy.Options{})
		return leastText(p), err
	}, t0)
}

// leastText tells a plan and its condition Progressing.
func leastText(p deploy.Plan) string {
	if c, ok := deploy.GetCondition(p.Status.Conditions, deploy.ConditionProgressing); ok {
		return p.String() + "condition " + c.Type + " is there"
	}
	return p.String() + "condition Progressing is not there"
}
