// SPDX-License-Identifier: Apache-2.0

package deploy_test

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/internal/verify/purity"
	"github.com/kplan-go/kplan/internal/verify/random"
	"github.com/kplan-go/kplan/revision"
)

// ownKeys are keys of a kind of one's own, and their order is not that of Kubernetes'.
var ownKeys = revision.Keys{
	Revision: "games.example.com/number", History: "games.example.com/numbers", Desired: "games.example.com/wanted",
	Max: "games.example.com/limit", Rollback: "games.example.com/back-to",
}

// renaming pairs keys with those of Kubernetes.
func renaming(k revision.Keys) map[string]string {
	return map[string]string{
		revision.AnnotationRevision: k.Revision, revision.AnnotationHistory: k.History, revision.AnnotationDesired: k.Desired,
		revision.AnnotationMax: k.Max, revision.AnnotationRollback: k.Rollback,
	}
}

func renamed(annotations, names map[string]string) map[string]string {
	if annotations == nil {
		return nil
	}
	result := map[string]string{}
	for key, value := range annotations {
		if name, found := names[key]; found {
			key = name
		}
		result[key] = value
	}
	return result
}

func withKeys(s deploy.Snapshot, k revision.Keys) deploy.Snapshot {
	s = purity.Clone(s)
	s.Deployment.Annotations = renamed(s.Deployment.Annotations, renaming(k))
	for i := range s.ReplicaSets {
		s.ReplicaSets[i].Annotations = renamed(s.ReplicaSets[i].Annotations, renaming(k))
	}
	return s
}

// inKubernetesWords returns what JSON says of v, with the keys of Kubernetes.
func inKubernetesWords(t require.TestingT, v any, k revision.Keys) (value any) {
	data, err := json.Marshal(v)
	require.NoError(t, err)
	var pairs []string
	for usual, own := range renaming(k) {
		pairs = append(pairs, `"`+own+`"`, `"`+usual+`"`)
	}
	text := strings.NewReplacer(pairs...).Replace(string(data))
	require.NoError(t, json.Unmarshal([]byte(strings.ReplaceAll(text, `"key":"`+revision.AnnotationRollback+`",`, "")), &value))
	return value
}

// TestPropertyKeys: with other keys, the plan is that of the same snapshot with its keys
// renamed, and so are the snapshot after it and what follows a failure. What decides by
// annotations takes several things at once, so that there are many cases.
func TestPropertyKeys(t *testing.T) {
	for seed := range uint64(1200) {
		source := random.Seeded(seed)
		s := random.Deployment(source, random.Kinds(source))
		if seed%4 == 0 {
			s = random.Partitioned(source, s)
		}
		sameUnderKeys(t, source, s, random.DeploymentOptions(source))
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

func sameUnderKeys(t *testing.T, source random.Source, s deploy.Snapshot, opts deploy.Options) {
	t.Helper()
	opts.PausePoints = false
	want, err := deploy.Reconcile(s, t0, opts)
	if err != nil {
		return
	}
	own, ownOpts := withKeys(s, ownKeys), opts
	ownOpts.Keys = ownKeys
	got, err := deploy.Reconcile(own, t0, ownOpts)
	require.NoError(t, err)
	same := func(want, got any) {
		t.Helper()
		a, b := inKubernetesWords(t, want, ownKeys), inKubernetesWords(t, got, ownKeys)
		if !reflect.DeepEqual(a, b) {
			t.Fatal(cmp.Diff(a, b))
		}
	}
	same(want, got)
	text, err := json.Marshal(got)
	require.NoError(t, err)
	require.NotContains(t, string(text), "deployment.kubernetes.io/")

	if after, err := want.Apply(s, t0); err == nil {
		ownAfter, err := got.Apply(own, t0)
		require.NoError(t, err)
		same(after, ownAfter)
	}
	report := deploy.Report{}
	for range random.Between(source, "done", 0, len(want.Actions)) {
		report.Outcomes = append(report.Outcomes, kplan.Outcome{Answer: kplan.Done, Name: "new"})
	}
	report.Outcomes = append(report.Outcomes, kplan.Outcome{Answer: kplan.Failed, Err: errors.New("no")})
	result, ownResult := deploy.FinishPlan(s, want, report, t0, opts), deploy.FinishPlan(own, got, report, t0, ownOpts)
	same([]any{result.Status, result.Annotations, result.Holds}, []any{ownResult.Status, ownResult.Annotations, ownResult.Holds})
}

// TestKeysAlone: each key stands alone, and the zero ones are those of Kubernetes.
func TestKeysAlone(t *testing.T) {
	for _, k := range []revision.Keys{
		{Revision: "a"}, {History: "a"}, {Desired: "a"}, {Max: "a"}, {Rollback: "a"}, {},
	} {
		check(t, func(t *rapid.T) {
			s := midway(t)
			want, err := deploy.Reconcile(s, t0, deploy.Options{})
			require.NoError(t, err)
			got, err := deploy.Reconcile(withKeys(s, k.OrDefault()), t0, deploy.Options{Keys: k})
			require.NoError(t, err)
			if diff := cmp.Diff(inKubernetesWords(t, want, k.OrDefault()), inKubernetesWords(t, got, k.OrDefault())); diff != "" {
				t.Fatal(diff)
			}
		})
	}
}

func TestKeysMustDiffer(t *testing.T) {
	s := random.Sets(random.Web(1))
	_, err := deploy.Reconcile(s, t0, deploy.Options{Keys: revision.Keys{
		Revision: "a", History: "a", Max: revision.AnnotationDesired, Rollback: revision.AnnotationLastApplied,
	}})
	require.EqualError(t, err, strings.Join([]string{
		`Options.Keys.History: "a": must not be the key of Revision`,
		`Options.Keys.Max: "deployment.kubernetes.io/desired-replicas": must not be the key of Desired`,
		`Options.Keys.Rollback: "kubectl.kubernetes.io/last-applied-configuration": must not be the key of kubectl's record`,
	}, "\n"))
}
