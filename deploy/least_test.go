package deploy_test

import (
	"testing"
	"time"

	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/internal/purity"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/rollout"
	"github.com/stretchr/testify/require"
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
	rows := []struct {
		field string
		edit  func(*deploy.Snapshot) // before the field is left out
		leave func(*deploy.Snapshot)
		err   string // or else
		with  string // what the plan says with the field
		less  string // and without
	}{
		{field: "now", err: "now: \"\": must be set"},
		{field: "Deployment.Name", leave: func(s *deploy.Snapshot) { s.Deployment.Name = "" }, err: "Deployment.Name: \"\": must be set"},
		{
			field: "Deployment.UID", leave: func(s *deploy.Snapshot) { s.Deployment.UID = "" },
			err: "Deployment.UID: \"\": must be set, because it decides which ReplicaSets belong to the Deployment",
		},
		{field: "ReplicaSets[].Name", leave: func(s *deploy.Snapshot) { s.ReplicaSets[0].Name = "" }, err: `ReplicaSets[""].Name: "": must be set`},
		{field: "ReplicaSets[].UID", leave: func(s *deploy.Snapshot) { s.ReplicaSets[0].UID = "" }, err: `ReplicaSets["web-h1"].UID: "": must be set`},
		{
			field: "ReplicaSets[].ControllerUID", leave: func(s *deploy.Snapshot) { s.ReplicaSets[1].ControllerUID = "" },
			with: "Scaled up replica set web-h2 from 5 to 8", less: "web-h2 from 0 to",
		},
		{
			field: "ReplicaSets[].Template.ID", leave: func(s *deploy.Snapshot) { s.ReplicaSets[1].Template.ID = "" },
			with: "Scaled up replica set web-h2 from 5 to 8", less: "web-h2 from 0 to",
		},
		{
			field: "ReplicaSets[].Replicas", leave: func(s *deploy.Snapshot) { s.ReplicaSets[1].Replicas = nil },
			with: "web-h2 from 5 to 8", less: "web-h2 from 1 to 8",
		},
		{
			field: "ReplicaSets[].Status", edit: func(s *deploy.Snapshot) {
				s.Deployment.MaxSurge, s.Deployment.MaxUnavailable = rollout.Int(0), rollout.Int(3)
			},
			leave: func(s *deploy.Snapshot) {
				s.ReplicaSets[0].Status, s.ReplicaSets[1].Status = replicaset.Status{}, replicaset.Status{}
			},
			with: "Scaled down replica set web-h1 from 5 to 2", less: "MinAvailable (5 of 7)",
		},
		{
			field: "ReplicaSets[].Annotations", edit: func(s *deploy.Snapshot) { s.Deployment.Replicas = &twelve },
			leave: func(s *deploy.Snapshot) { s.ReplicaSets[0].Annotations, s.ReplicaSets[1].Annotations = nil, nil },
			with:  "Scaling", less: "RolloutUp",
		},
		{
			field: "Deployment.Template.Hash", edit: func(s *deploy.Snapshot) { s.Deployment.Template.ID = "v3" },
			leave: func(s *deploy.Snapshot) { s.Deployment.Template.Hash = "" },
			with:  "web-h2 from 0 to", less: "replica set web- from 0 to",
		},
		{
			field: "Deployment.Replicas", leave: func(s *deploy.Snapshot) { s.Deployment.Replicas = nil },
			with: "web-h2 from 5 to 8", less: "web-h1 from 5 to 2 (Scaling)",
		},
		{
			field: "Deployment.MaxSurge", leave: func(s *deploy.Snapshot) { s.Deployment.MaxSurge = rollout.IntOrPercent{} },
			with: "web-h2 from 5 to 8", less: "web-h1 from 5 to 4",
		},
		{
			field: "Deployment.ProgressDeadlineSeconds", leave: func(s *deploy.Snapshot) { s.Deployment.ProgressDeadlineSeconds = nil },
			with: "condition Progressing is there", less: "condition Progressing is not there",
		},
		{
			field: "Pods", edit: func(s *deploy.Snapshot) {
				s.Deployment.Strategy, s.ReplicaSets = deploy.Recreate, s.ReplicaSets[:1]
				zero := int32(0)
				s.ReplicaSets[0] = leastSet("web-h1", "v1", &zero)
				s.Pods = []podorder.Pod{{Name: "old", ControllerUID: "web-h1", Phase: podorder.Running}}
			},
			leave: func(s *deploy.Snapshot) { s.Pods = nil },
			with:  "OldPodsRemain", less: "Scaled up replica set web-h2 from 0 to 10",
		},
	}
	var fields []string
	for _, row := range rows {
		fields = append(fields, row.field)
		t.Run(row.field, func(t *testing.T) {
			s, now := leastSnapshot(), t0
			if row.edit != nil {
				row.edit(&s)
			}
			p, err := deploy.Reconcile(s, now, deploy.Options{})
			require.NoError(t, err)
			require.Contains(t, leastText(p), row.with)
			if row.less != "" {
				require.NotContains(t, leastText(p), row.less)
			}
			if row.leave == nil {
				now = time.Time{}
			} else {
				row.leave(&s)
			}
			p, err = deploy.Reconcile(s, now, deploy.Options{})
			if row.err != "" {
				require.EqualError(t, err, row.err)
				return
			}
			require.NoError(t, err)
			require.Contains(t, leastText(p), row.less)
			require.NotContains(t, leastText(p), row.with)
		})
	}
	require.Equal(t, purity.Rows(t, "snapshot.go", "Snapshot"), fields, "the comment of Snapshot")
}

// leastText tells a plan and its condition Progressing.
func leastText(p deploy.Plan) string {
	if c, ok := deploy.GetCondition(p.Status.Conditions, deploy.ConditionProgressing); ok {
		return p.String() + "condition " + c.Type + " is there"
	}
	return p.String() + "condition Progressing is not there"
}
