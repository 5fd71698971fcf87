// SPDX-License-Identifier: Apache-2.0

package deploy_test

import (
	"encoding/json"
	"errors"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/deploy/reason"
	"github.com/kplan-go/kplan/internal/base/ptr"
	"github.com/kplan-go/kplan/internal/verify/purity"
	"github.com/kplan-go/kplan/internal/verify/random"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/rollout"
)

// kinds are fields of actions, and words the words for kinds.
var (
	kinds = regexp.MustCompile(`"(kind|replicaSetKind)":"(Fleet|Group)",?`)
	words = strings.NewReplacer("replica set", "child", "ReplicaSet", "child", "Group", "child",
		"deployment", "parent", "Deployment", "parent", "Fleet", "parent")
)

// TestPropertyKinds: with kinds of one's own the plan is the same in other words, whatever
// kinds the controllers of ReplicaSets and pods are said to have.
func TestPropertyKinds(t *testing.T) {
	wordless := func(t *rapid.T, p deploy.Plan) string {
		text, err := json.Marshal(p)
		require.NoError(t, err)
		return words.Replace(kinds.ReplaceAllString(string(text)+p.String(), ""))
	}
	check(t, func(t *rapid.T) {
		s, opts := anyKind(t), random.DeploymentOptions(random.Rapid(t))
		own := purity.Clone(s)
		own.Deployment.Kind, own.Deployment.ReplicaSetKind = "Fleet", "Group"
		for i := range own.ReplicaSets {
			own.ReplicaSets[i].ControllerKind = unlessOrphan(own.ReplicaSets[i].ControllerUID, random.OneOf(random.Rapid(t), "of the set", "", "Fleet", deploy.Kind))
		}
		for i := range own.Pods {
			own.Pods[i].ControllerKind = unlessOrphan(own.Pods[i].ControllerUID, random.OneOf(random.Rapid(t), "of the pod", "", "Group", replicaset.Kind))
		}
		want, err := deploy.Reconcile(s, t0, opts)
		if err != nil {
			t.Skip()
		}
		got, err := deploy.Reconcile(own, t0, opts)
		require.NoError(t, err)
		if diff := cmp.Diff(wordless(t, want), wordless(t, got)); diff != "" {
			t.Fatal(diff)
		}
		told := got.String()
		for _, e := range got.Events {
			told += e.Reason + e.Message
		}
		for _, c := range got.Status.Conditions {
			if !slices.ContainsFunc(s.Deployment.Status.Conditions, func(old kplan.Condition) bool { return old.Message == c.Message }) {
				told += c.Message
			}
		}
		require.NotRegexp(t, `replica set|ReplicaSet| deployment[ :]|Deployment`, told)
	})
}

func unlessOrphan(uid, kind string) string {
	if uid == "" {
		return ""
	}
	return kind
}

func toldProgress(s deploy.Status) string {
	c, _ := deploy.GetCondition(s.Conditions, deploy.ConditionProgressing)
	return c.Message
}

// TestKinds goes through the texts once.
func TestKinds(t *testing.T) {
	s := deploy.Snapshot{Deployment: deploy.Deployment{
		Kind: "Fleet", ReplicaSetKind: "Group", Name: "db", UID: "f", Replicas: ptr.To(int32(2)), ProgressDeadlineSeconds: ptr.To(int32(60)),
		Template: revision.Template{ID: "v2", Hash: "v2"}, MaxSurge: rollout.Int(1),
	}}
	p, err := deploy.Reconcile(s, t0, deploy.Options{})
	require.NoError(t, err)
	require.Equal(t, "Scaled up Group db-v2 from 0 to 2 (NewTemplate, revision 1)", p.Actions[0].String())
	require.Equal(t, "Annotated Fleet: deployment.kubernetes.io/revision (Revision)", p.Actions[1].String())
	require.Equal(t, "Scaled up Group db-v2 from 0 to 2", p.Events[0].Message)
	require.Equal(t, "ScalingGroup", p.Events[0].Reason)

	r := deploy.FinishPlan(s, p, deploy.Report{Outcomes: []kplan.Outcome{{Answer: kplan.Done, Name: "db-v2"}, {Answer: kplan.Done}}}, t0, deploy.Options{})
	require.Equal(t, `Created new Group "db-v2"`, toldProgress(r.Status))
	r = deploy.FinishPlan(s, p, deploy.Report{Outcomes: []kplan.Outcome{{Answer: kplan.Failed, Err: errors.New("no quota")}}}, t0, deploy.Options{})
	require.Equal(t, `Failed to create new Group "db-v2": no quota`, toldProgress(r.Status))

	p.Holds = append(p.Holds, kplan.Hold{Name: "db-v2", Reason: reason.NameTaken})
	p.Actions, p.Events = p.Actions[:1], nil
	r = deploy.FinishPlan(s, p, deploy.Report{Outcomes: []kplan.Outcome{{Answer: kplan.Done, Name: "db-v2"}}}, t0, deploy.Options{})
	require.Equal(t, []kplan.Event{{Type: "Normal", Reason: "ScalingGroup", Message: "Scaled up Group db-v2 from 0 to 2"}}, r.Events, "the name was free")

	after, err := p.Apply(s, t0)
	require.NoError(t, err)
	require.Equal(t, "Group", after.ReplicaSets[0].Kind)
	require.Equal(t, "Fleet", after.ReplicaSets[0].ControllerKind)

	s.Deployment.Kind, s.Deployment.ReplicaSetKind = deploy.Kind, replicaset.Kind
	same, err := deploy.Reconcile(s, t0, deploy.Options{})
	require.NoError(t, err)
	require.Equal(t, "Scaled up replica set db-v2 from 0 to 2 (NewTemplate, revision 1)", same.Actions[0].String())
}

// TestRecreateWaitsForOtherKinds: an old pod holds back whatever kind its controller has.
func TestRecreateWaitsForOtherKinds(t *testing.T) {
	for _, kind := range []string{"", replicaset.Kind, "Group", "StatefulSet"} {
		s := random.Sets(random.Web(1), random.Set(1, 0))
		s.Deployment.Strategy, s.Deployment.Template = deploy.Recreate, revision.Template{ID: "next", Hash: "next"}
		s.Pods = []podorder.Pod{{Name: "old", ControllerKind: kind, ControllerUID: s.ReplicaSets[0].UID, Phase: podorder.Running}}
		p, err := plan(s)
		require.NoError(t, err)
		require.Equal(t, reason.OldPodsRemain, p.Holds[0].Reason, kind)
		require.NotContains(t, p.String(), "Scaled up", kind)
	}
}
