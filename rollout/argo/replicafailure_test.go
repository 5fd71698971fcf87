// SPDX-License-Identifier: Apache-2.0

package argo_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/internal/base/ptr"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/argo"
)

// set returns a ReplicaSet of a Rollout of n pods that wants some, of which some exist and
// some are available.
func set(hash string, n, wants, exist, available int32) argo.ReplicaSet {
	return argo.ReplicaSet{
		Name: "web-" + hash, Hash: hash, Revision: int64(hash[1] - '0'), DesiredReplicas: &n, CreationTimestamp: now.Add(time.Duration(hash[1]-'9') * time.Hour),
		Size: argo.Size{Replicas: wants, StatusReplicas: exist, AvailableReplicas: available}, ReadyReplicas: available,
	}
}

// refusing lets a ReplicaSet say that it cannot create pods.
func refusing(rs argo.ReplicaSet, message string) argo.ReplicaSet {
	rs.Conditions = []kplan.Condition{
		{Type: "Other", Status: kplan.ConditionTrue},
		{Type: argo.ConditionReplicaFailure, Status: kplan.ConditionTrue, Reason: "FailedCreate", Message: message, LastTransitionTime: now.Add(-2 * time.Hour)},
	}
	return rs
}

// updating returns a Rollout of n pods that goes from v1 to v2.
func updating(n int32, sets ...argo.ReplicaSet) argo.Snapshot {
	return argo.Snapshot{
		Rollout: argo.Rollout{
			Name: "web", TemplateHash: "v2", Replicas: &n, MaxSurge: rollout.Int(1), MaxUnavailable: rollout.Int(0), ProgressDeadlineSeconds: ptr.To[int32](argo.NoDeadline),
			Status: argo.Status{CurrentPodHash: "v2", StableRS: "v1"},
		},
		Sets: sets,
	}
}

// at lets a canary take steps, and be at one of them.
func at(s argo.Snapshot, step int32, steps ...argo.Step) argo.Snapshot {
	s.Rollout.Steps, s.Rollout.Status.CurrentStepIndex = steps, &step
	return s
}

// A Rollout reports that a ReplicaSet cannot create pods: that of the new one, else of the
// oldest, between whether enough are available and whether it is complete.
func TestReplicaFailure(t *testing.T) {
	failure := func(message string, since time.Duration) kplan.Condition {
		return kplan.Condition{
			Type: argo.ConditionReplicaFailure, Status: kplan.ConditionTrue, Reason: "FailedCreate", Message: message,
			LastUpdateTime: now.Add(-2 * time.Hour), LastTransitionTime: now.Add(-since),
		}
	}
	is, isNot := set("v1", 3, 2, 0, 0), set("v2", 3, 1, 1, 1)
	for _, c := range []struct {
		why    string
		sets   []argo.ReplicaSet
		before []kplan.Condition
		want   []kplan.Condition
	}{
		{"none fails", []argo.ReplicaSet{is, isNot}, nil, nil},
		{"the stable one", []argo.ReplicaSet{refusing(is, "quota"), isNot}, nil, []kplan.Condition{failure("quota", 2*time.Hour)}},
		{"the new one comes first", []argo.ReplicaSet{refusing(is, "quota"), refusing(isNot, "webhook")}, nil, []kplan.Condition{failure("webhook", 2*time.Hour)}},
		{"the older one comes first", []argo.ReplicaSet{refusing(is, "quota"), refusing(set("v0", 3, 0, 0, 0), "old"), isNot}, nil, []kplan.Condition{failure("old", 2*time.Hour)}},
		{"it is over", []argo.ReplicaSet{is, isNot}, []kplan.Condition{failure("quota", time.Hour)}, nil},
		{"another message alone changes nothing", []argo.ReplicaSet{refusing(is, "webhook"), isNot}, []kplan.Condition{failure("quota", time.Hour)}, []kplan.Condition{failure("quota", time.Hour)}},
		{"another reason does, and keeps its time", []argo.ReplicaSet{refusing(is, "webhook"), isNot}, []kplan.Condition{{
			Type: argo.ConditionReplicaFailure, Status: kplan.ConditionTrue, Reason: "FailedDelete", LastTransitionTime: now.Add(-time.Hour),
		}}, []kplan.Condition{failure("webhook", time.Hour)}},
	} {
		s := at(updating(3, c.sets...), 0, weight(34))
		s.Rollout.Status.Conditions = c.before
		p, err := reconcile(s, now)
		require.NoError(t, err)
		var got []kplan.Condition
		var order []string
		for _, o := range p.Status.Conditions {
			order = append(order, o.Type)
			if o.Type == argo.ConditionReplicaFailure {
				got = append(got, o)
			}
		}
		require.Equal(t, c.want, got, c.why)
		if c.before == nil && got != nil {
			require.Equal(t, []string{"Progressing", "Available", "ReplicaFailure", "Completed"}, order, c.why)
		}
	}
}
