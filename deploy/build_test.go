// SPDX-License-Identifier: Apache-2.0

package deploy_test

import (
	"fmt"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/internal/base/ptr"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/rollout"
)

// t0 is when every test happens.
var t0 = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// web returns a Deployment of template v2 with a generous deadline of none, so
// that only tests of progress see the condition Progressing.
func web(replicas int32, change ...func(*deploy.Deployment)) deploy.Deployment {
	d := deploy.Deployment{
		Name: "web", UID: "web-uid", Generation: 2, Replicas: ptr.To(replicas),
		Template:       revision.Template{ID: "v2", Hash: "v2"},
		MaxSurge:       rollout.Percent(25),
		MaxUnavailable: rollout.Percent(25),

		ProgressDeadlineSeconds: ptr.To(int32(deploy.NoLimit)),
	}
	for _, c := range change {
		c(&d)
	}
	return d
}

func limits(surge, unavailable int32) func(*deploy.Deployment) {
	return func(d *deploy.Deployment) {
		d.MaxSurge, d.MaxUnavailable = rollout.Int(surge), rollout.Int(unavailable)
	}
}

func recreate(d *deploy.Deployment) { d.Strategy = deploy.Recreate }
func paused(d *deploy.Deployment)   { d.Paused = true }

func deadline(seconds int32) func(*deploy.Deployment) {
	return func(d *deploy.Deployment) { d.ProgressDeadlineSeconds = ptr.To(seconds) }
}

func template(id string) func(*deploy.Deployment) {
	return func(d *deploy.Deployment) { d.Template = revision.Template{ID: id, Hash: id} }
}

func progressing(status kplan.ConditionStatus, reason string, updated, transitioned time.Time) func(*deploy.Deployment) {
	return func(d *deploy.Deployment) {
		d.Status.Conditions = append(d.Status.Conditions, kplan.Condition{
			Type: deploy.ConditionProgressing, Status: status, Reason: reason,
			LastUpdateTime: updated, LastTransitionTime: transitioned,
		})
	}
}

// set returns the ReplicaSet of the template "v<n>": revision n, created n minutes
// into the day, with all pods available and annotations that agree with replicas.
func set(n int, size int32, change ...func(*replicaset.ReplicaSet)) replicaset.ReplicaSet {
	v := "v" + strconv.Itoa(n)
	rs := replicaset.ReplicaSet{
		Name: "web-" + v, UID: v, ControllerUID: "web-uid", Generation: 1,
		CreationTimestamp: t0.Add(time.Duration(n-1440) * time.Minute),
		Replicas:          ptr.To(size),
		Template:          revision.Template{ID: v, Hash: v},
		Annotations:       map[string]string{revision.AnnotationRevision: strconv.Itoa(n)},
	}
	counts(size, size)(&rs)
	for _, c := range change {
		c(&rs)
	}
	return rs
}

// counts sets how many pods a ReplicaSet reports, and how many of them available.
func counts(replicas, available int32) func(*replicaset.ReplicaSet) {
	return func(rs *replicaset.ReplicaSet) {
		rs.Status = replicaset.Status{
			ObservedGeneration: rs.Generation, Replicas: replicas, FullyLabeledReplicas: replicas,
			ReadyReplicas: available, AvailableReplicas: available, TerminatingReplicas: ptr.To(int32(0)),
		}
	}
}

// sized sets the annotations of the last scaling.
func sized(desired, max string) func(*replicaset.ReplicaSet) {
	return func(rs *replicaset.ReplicaSet) {
		rs.Annotations[revision.AnnotationDesired] = desired
		rs.Annotations[revision.AnnotationMax] = max
	}
}

func numbered(text string) func(*replicaset.ReplicaSet) {
	return func(rs *replicaset.ReplicaSet) { rs.Annotations[revision.AnnotationRevision] = text }
}

func snapshot(d deploy.Deployment, sets ...replicaset.ReplicaSet) deploy.Snapshot {
	if i := slices.IndexFunc(sets, func(rs replicaset.ReplicaSet) bool { return rs.Template.Same(d.Template) }); i >= 0 {
		if d.Annotations == nil {
			d.Annotations = map[string]string{revision.AnnotationRevision: sets[i].Annotations[revision.AnnotationRevision]}
		}
	}
	return deploy.Snapshot{Deployment: d, ReplicaSets: sets}
}

func reconcile(t testing.TB, s deploy.Snapshot) deploy.Plan {
	t.Helper()
	p, err := deploy.Reconcile(s, t0, deploy.Options{})
	require.NoError(t, err)
	produce(p)
	return p
}

// sizes returns what a plan does to sizes, such as "create web-v2 3, web-v1 10->8".
func sizes(p deploy.Plan) string {
	text := ""
	for _, a := range p.Actions {
		switch a := a.(type) {
		case deploy.CreateReplicaSet:
			text += fmt.Sprintf(", create %s %d", a.Name, a.Replicas)
		case deploy.ScaleReplicaSet:
			text += fmt.Sprintf(", %s %d->%d", a.Name, a.From, a.To)
		case deploy.DeleteReplicaSet:
			text += ", delete " + a.Name
		}
	}
	if text == "" {
		return "none"
	}
	return text[2:]
}

// holds returns the holds as "name Reason have/limit".
func holds(p deploy.Plan) []string {
	var texts []string
	for _, h := range p.Holds {
		texts = append(texts, fmt.Sprintf("%s %s %d/%d", h.Name, h.Reason, h.Have, h.Limit))
	}
	return texts
}

func requireEqual[T any](t *testing.T, why string, want, got T) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", why, diff)
	}
}

// apply carries out one action on a snapshot.
func apply(s *deploy.Snapshot, a deploy.Action) error {
	next, err := deploy.Apply(*s, a, t0)
	if err == nil {
		*s = next
	}
	return err
}

func merged(old, set map[string]string) map[string]string {
	all := map[string]string{}
	for _, m := range []map[string]string{old, set} {
		for k, v := range m {
			all[k] = v
		}
	}
	return all
}

// settle lets every ReplicaSet reach its size, with all pods available unless its
// template is broken.
func settle(s *deploy.Snapshot, broken ...string) {
	for i := range s.ReplicaSets {
		rs := &s.ReplicaSets[i]
		available := *rs.Replicas
		if slices.Contains(broken, rs.Template.ID) {
			available = min(available, rs.Status.AvailableReplicas)
		}
		counts(*rs.Replicas, available)(rs)
	}
}

// execute applies a plan and its status.
func execute(t testing.TB, s *deploy.Snapshot, p deploy.Plan) {
	t.Helper()
	next, err := p.Apply(*s, t0)
	require.NoError(t, err)
	*s = next
}
