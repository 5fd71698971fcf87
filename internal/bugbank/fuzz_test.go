package bugbank_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/selector"
	"github.com/stretchr/testify/require"
)

// planned fuzzes a planner with snapshots in JSON, beginning with one of the bank: it
// survives all of them, writes to none, and says the same twice.
func planned[S, P any](f *testing.F, seed S, invalid error, plan func(S) (P, error)) {
	text, err := json.Marshal(seed)
	require.NoError(f, err)
	f.Add(text)
	f.Fuzz(func(t *testing.T, text []byte) {
		var s, same S
		if json.Unmarshal(text, &s) != nil || json.Unmarshal(text, &same) != nil {
			return
		}
		p, err := plan(s)
		if err != nil {
			require.ErrorIs(t, err, invalid)
		}
		require.Equal(t, same, s, "nothing is written")
		q, again := plan(same)
		require.Equal(t, err == nil, again == nil)
		require.Empty(t, cmp.Diff(p, q), "the same again")
		_, err = json.Marshal(p)
		require.NoError(t, err)
	})
}

func FuzzRollout(f *testing.F) {
	seed := released(inStep(1, rollout.StatePaused, step(rollout.Percent(20), 60), step(rollout.Percent(100), -1)), 0)
	planned(f, seed, rollout.ErrInvalid, func(s rollout.Snapshot) (rollout.Plan, error) {
		return rollout.Reconcile(s, t0, rollout.Options{Corrected: rollout.AllCorrections()})
	})
}

func FuzzBatch(f *testing.F) {
	s := released(inStep(1, rollout.StateUpgrade, step(rollout.Percent(20), 60)), 0)
	seed := rollout.BatchSnapshot{
		Release: *s.BatchRelease, Workload: &rollout.Workload{WorkloadRef: ofDeployment, Replicas: new(int32(10)), UpdateRevision: "v2"},
		Pods: []rollout.Pod{{Name: "p", Ready: true, Labels: map[string]string{rollout.LabelPodTemplateHash: "v2"}}},
	}
	planned(f, seed, rollout.ErrInvalid, func(s rollout.BatchSnapshot) (rollout.BatchPlan, error) {
		return rollout.ReconcileBatch(s, t0, rollout.Options{Corrected: rollout.AllCorrections()})
	})
}

func FuzzAdmit(f *testing.F) {
	before := rollout.Workload{WorkloadRef: ofDeployment, Replicas: new(int32(10)), Template: version("v1")}
	after := before
	after.Template = version("v2")
	seed := rollout.AdmitSnapshot{Old: before, New: after, Rollouts: []rollout.Rollout{inStep(1, rollout.StatePaused, step(rollout.Int(1), -1)).Rollout}}
	planned(f, seed, rollout.ErrInvalid, func(s rollout.AdmitSnapshot) (rollout.Admission, error) {
		return rollout.Admit(s, rollout.Options{})
	})
}

func FuzzArgo(f *testing.F) {
	seed := updating(argoSet("v1", 1, 2, 2, new(int32(2))), argoSet("v2", 2, 1, 0, nil))
	planned(f, seed, rollout.ErrInvalid, func(s rollout.ArgoSnapshot) (rollout.ArgoPlan, error) { return rollout.ArgoReconcile(s, t0) })
}

// FuzzActions: a list of actions that can be read is written as it was read.
func FuzzActions(f *testing.F) {
	for _, list := range []string{
		`[{"scaleReplicaSet":{"name":"web","uid":"u","from":1,"to":2,"reason":"Scaling"}},{"deleteReplicaSet":{"name":"web","revision":3}}]`,
		`[{"createPods":{"count":3,"initial":1,"reason":"TooFew"}},{"deletePod":{"name":"p","uid":"u","reason":"TooMany"}}]`,
		`[{"createPod":{"node":"n1","hash":"v2","gate":true,"reason":"Missing"}}]`,
		`[{"setFinalizer":{"kind":"Rollout","name":"web","remove":true,"reason":"Finalizer"}}]`,
		`[{"releaseChild":{"child":1,"ownerUID":"u"}}]`,
	} {
		f.Add([]byte(list))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		rewritten[deploy.Actions](t, text)
		rewritten[replicaset.Actions](t, text)
		rewritten[daemonset.Actions](t, text)
		rewritten[rollout.Actions](t, text)
		rewritten[selector.Actions](t, text)
	})
}

func rewritten[A any](t *testing.T, text []byte) {
	t.Helper()
	var read, again A
	if json.Unmarshal(text, &read) != nil {
		return
	}
	written, err := json.Marshal(read)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(written, &again))
	require.Empty(t, cmp.Diff(read, again, cmpopts.EquateEmpty()))
}

// FuzzStrategy: a strategy that can be read is written as it was read, and counts are
// read from any text.
func FuzzStrategy(f *testing.F) {
	f.Add(`{"rollingStyle":"Partition","rollingUpdate":{"maxUnavailable":"25%","maxSurge":1},"partition":"20%"}`)
	f.Add(`{"updatedReadyReplicas":1,"expectedUpdatedReplicas":2}`)
	f.Fuzz(func(t *testing.T, text string) {
		require.Equal(t, rollout.ParseExtraStatus(text), rollout.ParseExtraStatus(text))
		s, err := rollout.ParseStrategy(text)
		if err != nil {
			return
		}
		written, err := json.Marshal(s)
		require.NoError(t, err)
		again, err := rollout.ParseStrategy(string(written))
		require.NoError(t, err)
		require.Empty(t, cmp.Diff(s, again))
	})
}
