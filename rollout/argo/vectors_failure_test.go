// SPDX-License-Identifier: Apache-2.0

package argo_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/internal/base/ptr"
	"github.com/kplan-go/kplan/internal/verify/recorded"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/argo"
)

// recordedCondition is a condition and its ages in seconds. Those of a ReplicaSet have no
// update, and of those that come out only ReplicaFailure has ages and a message.
type recordedCondition struct {
	Type      string                `json:"type"`
	Status    kplan.ConditionStatus `json:"status"`
	Reason    string                `json:"reason"`
	Message   string                `json:"message,omitempty"`
	UpdateAge int32                 `json:"updateAge"`
	Age       int32                 `json:"age"`
}

func ago(seconds int32) time.Time { return now.Add(-time.Duration(seconds) * time.Second) }

// recordedFailures is a recorded pass of a Rollout whose ReplicaSets may be unable to
// create pods.
type recordedFailures struct {
	BlueGreen, TemplateIsStable, Abort bool
	Replicas, Weight, ResizedFrom      int32
	Sets                               map[string]struct {
		Replicas, Exist, Available int32
		Conditions                 []recordedCondition
	}
	Conditions []recordedCondition
}

func (in *recordedFailures) snapshot() argo.Snapshot {
	r := argo.Rollout{
		Name: "foo", Generation: 123, TemplateHash: "new", Replicas: &in.Replicas, MaxSurge: rollout.Int(1), MaxUnavailable: rollout.Int(0),
		ProgressDeadlineSeconds: ptr.To[int32](argo.NoDeadline), Steps: []argo.Step{weight(in.Weight)},
	}
	st := &r.Status
	*st = argo.Status{ObservedGeneration: 123, StableRS: "stable", Abort: in.Abort, CurrentStepIndex: ptr.To(int32(0))}
	if in.TemplateIsStable {
		r.TemplateHash, st.CurrentStepIndex = "stable", ptr.To(int32(1))
	}
	st.CurrentPodHash = r.TemplateHash
	for _, c := range in.Conditions {
		st.Conditions = append(st.Conditions, kplan.Condition{
			Type: c.Type, Status: c.Status, Reason: c.Reason, Message: c.Message, LastUpdateTime: ago(c.UpdateAge), LastTransitionTime: ago(c.Age),
		})
	}
	s := argo.Snapshot{}
	for _, hash := range []string{"other", "stable", "new"} {
		set, ok := in.Sets[hash]
		if !ok {
			continue
		}
		desired := in.Replicas
		if in.ResizedFrom != 0 {
			desired = in.ResizedFrom
		}
		r.Revision++
		rs := argo.ReplicaSet{
			Name: "foo-" + hash, Hash: hash, Revision: r.Revision, DesiredReplicas: &desired, ReadyReplicas: set.Available, CreationTimestamp: ago(int32(9-r.Revision) * 3600),
			Size: argo.Size{Replicas: set.Replicas, StatusReplicas: set.Exist, AvailableReplicas: set.Available},
		}
		for _, c := range set.Conditions {
			rs.Conditions = append(rs.Conditions, kplan.Condition{Type: c.Type, Status: c.Status, Reason: c.Reason, Message: c.Message, LastTransitionTime: ago(c.Age)})
		}
		s.Sets = append(s.Sets, rs)
		st.Replicas, st.ReadyReplicas, st.AvailableReplicas = st.Replicas+set.Exist, st.ReadyReplicas+set.Available, st.AvailableReplicas+set.Available
		if hash == r.TemplateHash {
			st.UpdatedReplicas = set.Exist
		}
	}
	if in.BlueGreen {
		r.Steps, r.BlueGreen, st.ActiveSelector = nil, &argo.BlueGreen{AbortScaleDownDelaySeconds: ptr.To(int32(0))}, "stable"
		st.AvailableReplicas, st.ReadyReplicas = in.Sets["stable"].Available, in.Sets["stable"].Available
		s.Active = &argo.Service{Name: "active", Selector: map[string]string{argo.HashLabel: "stable"}, Managed: true}
	}
	s.Rollout = r
	return s
}

// What Rollouts report of ReplicaSets that cannot create pods, and where among their other
// conditions, is what the controller reports.
func TestVectorsArgoReplicaFailure(t *testing.T) {
	const name = "argo/replica_failure_conditions"
	if _, err := os.Stat(filepath.Join(os.Getenv("KPLAN_VECTORS"), name+".json")); err != nil {
		t.Setenv("KPLAN_VECTORS", "") // these were recorded later than the others
	}
	recorded.Agree(t, name, func(t *testing.T, r recorded.Recording) (any, string) {
		var in recordedFailures
		r.Read(t, &in)
		p, err := reconcile(in.snapshot(), now)
		require.NoError(t, err, r.ID)
		list := []recordedCondition{}
		for _, c := range p.Status.Conditions {
			o := recordedCondition{Type: c.Type, Status: c.Status, Reason: c.Reason}
			if c.Type == argo.ConditionReplicaFailure {
				o.Message, o.UpdateAge, o.Age = c.Message, int32(now.Sub(c.LastUpdateTime).Seconds()), int32(now.Sub(c.LastTransitionTime).Seconds())
			}
			list = append(list, o)
		}
		return map[string]any{"conditions": list, "phase": p.Status.Phase}, ""
	})
}
