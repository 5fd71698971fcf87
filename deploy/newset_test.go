// SPDX-License-Identifier: Apache-2.0

package deploy_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/deploy/quirk"
	"github.com/kplan-go/kplan/deploy/reason"
	"github.com/kplan-go/kplan/internal/base/ptr"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/revision"
)

func TestCreate(t *testing.T) {
	d := web(10, limits(3, 2), func(d *deploy.Deployment) {
		d.MinReadySeconds = 5
		d.TemplateLabels = map[string]string{"app": "web", revision.LabelHash: "mine"}
		d.Annotations = map[string]string{
			"team": "shop", revision.AnnotationRevision: "4", revision.AnnotationLastApplied: "{}", revision.AnnotationDesired: "99",
		}
	})
	p := reconcile(t, snapshot(d, set(1, 10, numbered("7")), set(3, 0, numbered("bad"))))
	require.NotEmpty(t, p.Actions)
	requireEqual[deploy.Action](t, "a new ReplicaSet", deploy.CreateReplicaSet{
		Name: "web-v2", Replicas: 3, Template: d.Template, Revision: 8, MinReadySeconds: 5, Reason: reason.NewTemplate,
		Labels: map[string]string{"app": "web", revision.LabelHash: "v2"},
		Annotations: map[string]string{
			"team":                      "shop",
			revision.AnnotationRevision: "8",
			revision.AnnotationDesired:  "10",
			revision.AnnotationMax:      "13",
		},
	}, p.Actions[0])
	requireEqual[deploy.Action](t, "the Deployment's revision follows", deploy.AnnotateDeployment{
		Set: map[string]string{revision.AnnotationRevision: "8"}, Reason: reason.Revision,
	}, p.Actions[1])
	requireEqual(t, "events", []kplan.Event{
		{Type: "Normal", Reason: "ScalingReplicaSet", Message: "Scaled up replica set web-v2 from 0 to 3"},
		{Action: 2, Type: "Normal", Reason: "ScalingReplicaSet", Message: "Scaled down replica set web-v1 from 10 to 8"},
	}, p.Events)
}

func TestCreateWithoutPods(t *testing.T) {
	p := reconcile(t, snapshot(web(10, limits(0, 2)), set(1, 10)))
	require.Equal(t, "create web-v2 0, web-v1 10->8", sizes(p))
	require.Len(t, p.Events, 1, "creating an empty ReplicaSet is no event")
}

func TestNewIsTheOldestMatch(t *testing.T) {
	duplicate := func(rs *replicaset.ReplicaSet) { rs.Template.ID = "v2" }
	s := snapshot(web(3), set(4, 3, duplicate), set(3, 0, duplicate))
	require.Equal(t, "web-v3", reconcile(t, s).Actions[0].(deploy.AnnotateReplicaSet).Name)
}

func TestForeignSetsAreLeftAlone(t *testing.T) {
	foreign := func(rs *replicaset.ReplicaSet) { rs.ControllerUID = "other" }
	orphan := func(rs *replicaset.ReplicaSet) { rs.ControllerUID = "" }
	p := reconcile(t, snapshot(web(3, template("v9")), set(1, 3, foreign), set(2, 3, orphan), set(2, -5, foreign)))
	require.Equal(t, "create web-v9 3", sizes(p))
}

func TestNewFollowsTheDeployment(t *testing.T) {
	annotated := func(annotations map[string]string) func(*deploy.Deployment) {
		return func(d *deploy.Deployment) { d.Annotations = annotations }
	}
	for _, c := range []struct {
		why  string
		s    deploy.Snapshot
		want deploy.Actions
	}{
		{"a rollback gives an old set the next revision and remembers its own",
			snapshot(web(3, template("v1"), annotated(map[string]string{revision.AnnotationRevision: "2"})), set(1, 3), set(2, 0)),
			deploy.Actions{deploy.AnnotateReplicaSet{Name: "web-v1", UID: "v1", Reason: reason.Revision, Set: map[string]string{
				revision.AnnotationRevision: "3", revision.AnnotationHistory: "1",
			}}}},
		{"annotations are copied, and never removed",
			snapshot(web(3, annotated(map[string]string{revision.AnnotationRevision: "2", "a": "1", "empty": ""})),
				set(2, 3, func(rs *replicaset.ReplicaSet) { rs.Annotations["gone"] = "x" })),
			deploy.Actions{deploy.AnnotateReplicaSet{Name: "web-v2", UID: "v2", Reason: reason.Revision,
				Set: map[string]string{"a": "1", "empty": ""}}}},
		{"minReadySeconds alone",
			snapshot(web(3, func(d *deploy.Deployment) { d.MinReadySeconds = 7 }), set(2, 3)),
			deploy.Actions{deploy.AnnotateReplicaSet{Name: "web-v2", UID: "v2", Reason: reason.Revision, MinReadySeconds: ptr.To(int32(7))}}},
		{"the Deployment's revision alone",
			snapshot(web(3, annotated(map[string]string{revision.AnnotationRevision: "1"})), set(2, 3)),
			deploy.Actions{deploy.AnnotateDeployment{Set: map[string]string{revision.AnnotationRevision: "2"}, Reason: reason.Revision}}},
		{"an unusable revision is published and freezes the annotations",
			snapshot(web(3, annotated(map[string]string{revision.AnnotationRevision: "2", "a": "1"})), set(2, 3, numbered("bad"))),
			deploy.Actions{deploy.AnnotateDeployment{Set: map[string]string{revision.AnnotationRevision: "bad"}, Reason: reason.Revision}}},
		{"unless the set is written for another reason",
			snapshot(web(3, annotated(map[string]string{"a": "1"}), func(d *deploy.Deployment) { d.MinReadySeconds = 7 }),
				set(2, 3, numbered("bad"))),
			deploy.Actions{deploy.AnnotateReplicaSet{Name: "web-v2", UID: "v2", Reason: reason.Revision,
				Set: map[string]string{"a": "1"}, MinReadySeconds: ptr.To(int32(7))}}},
	} {
		requireEqual(t, c.why, c.want, reconcile(t, c.s).Actions)
	}
}

func TestProgressOfAFoundSet(t *testing.T) {
	p := reconcile(t, snapshot(web(3, deadline(600)), set(2, 3, counts(3, 2))))
	c := condition(p.Status, deploy.ConditionProgressing)
	require.NotNil(t, c)
	require.Equal(t, "ReplicaSetUpdated", c.Reason, "found, and then seen to have moved")

	d := web(3, deadline(600))
	d.Status = deploy.Status{Replicas: 3, UpdatedReplicas: 3, ReadyReplicas: 2, AvailableReplicas: 2, ObservedGeneration: 2}
	c = condition(reconcile(t, snapshot(d, set(2, 3, counts(3, 2)))).Status, deploy.ConditionProgressing)
	require.Equal(t, `Found new replica set "web-v2"`, c.Message)
}

func TestProgressOfACreatedSet(t *testing.T) {
	d := web(3, deadline(600))
	d.Status = deploy.Status{Replicas: 3, ReadyReplicas: 3, AvailableReplicas: 3, ObservedGeneration: 2}
	p := reconcile(t, snapshot(d, set(1, 3)))
	c := condition(p.Status, deploy.ConditionProgressing)
	require.Equal(t, `Created new replica set "web-v2"`, c.Message)
	require.Equal(t, "NewReplicaSetCreated", c.Reason)
	require.Equal(t, t0, c.LastUpdateTime)
}

func TestLongNames(t *testing.T) {
	d := web(1, func(d *deploy.Deployment) { d.Name = strings.Repeat("x", 253) })
	p := reconcile(t, snapshot(d))
	require.Len(t, p.Actions[0].(deploy.CreateReplicaSet).Name, 253)
}

// TestCutName: a name that is cut is repaired only if the API server rejects it.
func TestCutName(t *testing.T) {
	for cut, repaired := range map[string]string{
		"xxx": "xxx", "xx-": "xx-", "x--": "x--", // a label may end with several dashes before the hash
		"xx.": "xx", "x..": "x", "x.-": "x", ".--": "", // a label may not begin with a dash
	} {
		base := strings.Repeat("x", 247)
		d := web(1, func(d *deploy.Deployment) { d.Name = base + cut + "xyz" })
		p, err := deploy.Reconcile(snapshot(d), t0, deploy.Options{Repair: quirk.CutNameInvalid})
		require.NoError(t, err)
		require.Equal(t, base+repaired+"-v2", p.Actions[0].(deploy.CreateReplicaSet).Name, "%q", cut)
	}
}
