// SPDX-License-Identifier: Apache-2.0

package deploy_test

import (
	"testing"

	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/deploy/reason"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/revision"
	"github.com/stretchr/testify/require"
)

func request(text string) func(*deploy.Deployment) {
	return func(d *deploy.Deployment) {
		d.Annotations = map[string]string{revision.AnnotationRollback: text, revision.AnnotationRevision: "2", "mine": "x"}
	}
}

func TestRollback(t *testing.T) {
	for _, c := range []struct {
		why    string
		d      deploy.Deployment
		sets   []replicaset.ReplicaSet
		want   string
		events string
	}{
		{"to a revision", web(3, request("1")), []replicaset.ReplicaSet{set(1, 0), set(2, 3)},
			"annotate web-v2, roll back to web-v1 (1)", `Rolled back deployment "web" to revision 1`},
		{"to the previous one", web(3, request("0")), []replicaset.ReplicaSet{set(1, 0), set(2, 3)},
			"annotate web-v2, roll back to web-v1 (1)", `Rolled back deployment "web" to revision 1`},
		{"with a sign", web(3, request("+1")), []replicaset.ReplicaSet{set(1, 0), set(2, 3)},
			"annotate web-v2, roll back to web-v1 (1)", `Rolled back deployment "web" to revision 1`},
		{"there is no previous one", web(3, request("0")), []replicaset.ReplicaSet{set(2, 3)},
			"annotate web-v2, clear", "Unable to find last revision."},
		{"there is no such revision", web(3, request("7")), []replicaset.ReplicaSet{set(1, 0), set(2, 3)},
			"annotate web-v2, clear", "Unable to find the revision to rollback to."},
		{"a negative one", web(3, request("-3")), []replicaset.ReplicaSet{set(1, 0), set(2, 3)},
			"annotate web-v2, clear", "Unable to find the revision to rollback to."},
		{"to the present template", web(3, request("2")), []replicaset.ReplicaSet{set(1, 0), set(2, 3)},
			"annotate web-v2, clear", `The rollback revision contains the same template as current deployment "web"`},
		{"paused: not looked at", web(3, request("1"), paused), []replicaset.ReplicaSet{set(1, 0), set(2, 3)}, "annotate web-v2", ""},
		{"paused: history stays for it", web(3, request("1"), paused, history(0)), []replicaset.ReplicaSet{set(1, 0), set(2, 3)}, "annotate web-v2", ""},
		{"no number: ignored", web(3, request(" 1")), []replicaset.ReplicaSet{set(1, 0), set(2, 3)}, "annotate web-v2", ""},
		{"before scaling", web(5, request("1")), []replicaset.ReplicaSet{set(1, 0), set(2, 3, sized("3", "3"))},
			"annotate web-v2, roll back to web-v1 (1)", `Rolled back deployment "web" to revision 1`},
	} {
		t.Run(c.why, func(t *testing.T) {
			p := reconcile(t, snapshot(c.d, c.sets...))
			requireEqual(t, c.why, c.want, actions(p))
			events := ""
			for _, e := range p.Events {
				events += e.Message
			}
			requireEqual(t, c.why, c.events, events)
		})
	}
}

// TestRollbackAnnotations: the Deployment keeps its own bookkeeping and gets
// everything else from the ReplicaSet. Its status stays.
func TestRollbackAnnotations(t *testing.T) {
	old := set(1, 0, func(rs *replicaset.ReplicaSet) { rs.Annotations["cause"], rs.Annotations["team"] = "first", "shop" })
	d := web(3, request("1"), reported(3, 3, 3, 2))
	p := reconcile(t, snapshot(d, old, set(2, 3, func(rs *replicaset.ReplicaSet) { rs.Annotations["mine"] = "x" })))
	requireEqual(t, "one write", deploy.Actions{deploy.RollBackDeployment{
		Revision: 1, Name: "web-v1", Template: revision.Template{ID: "v1", Hash: "v1"}, Reason: reason.Rollback,
		Annotations: map[string]string{revision.AnnotationRevision: "2", "cause": "first", "team": "shop"},
	}}, p.Actions)
	requireEqual(t, "the stored status", d.Status, p.Status)
}

// TestRollbackCreatesFirst: a template that was edited together with the request
// gets a ReplicaSet before it is given up (quirk.RollbackCreatesAbandonedSet).
func TestRollbackCreatesFirst(t *testing.T) {
	s := snapshot(web(3, request("1"), template("v3"), limits(1, 0)), set(1, 0), set(2, 3))
	require.Equal(t, "create web-v3 1, annotate deployment, roll back to web-v1 (1)", actions(reconcile(t, s)))
	require.Equal(t, "3", reconcile(t, s).Actions[2].(deploy.RollBackDeployment).Annotations[revision.AnnotationRevision])
	require.Equal(t, "roll back to web-v1 (1)", actions(reconcileWith(t, s, corrected)))
}

func TestRollbackHolds(t *testing.T) {
	p := reconcile(t, snapshot(web(3, request("7")), set(2, 3)))
	require.Equal(t, []string{" RollbackNotFound 7/0"}, holds(p))
	p = reconcile(t, snapshot(web(3, request("2")), set(2, 3)))
	require.Equal(t, []string{" RollbackUnchanged 2/0"}, holds(p))
}
