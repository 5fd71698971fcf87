// SPDX-License-Identifier: Apache-2.0

package bugbank_test

import (
	"math/rand"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/internal/base/ptr"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/revision/kubectl"
	"github.com/kplan-go/kplan/revision/quirk"
)

func revisions() []entry {
	return []entry{
		{"kubernetes-33844", "history is lost when a ReplicaSet is used again", reusedHistory,
			mutant{"revision/kubectl", "r = append(r, Record{Number: n, Entry: i, Former: true})", "_ = i"}},
		{"kubernetes-109934", "a revision that does not parse makes the order that of the cache", tamperedRevision,
			mutant{"revision:numberedByAge", "ByAge(e)", "indices(len(e))"}},
		{"kubernetes-29735", "hashes of two templates collide, and no ReplicaSet is ever created", hashCollision,
			mutant{"deploy", "f.result.Status.CollisionCount = nextCollisionCount(i.d.Status.CollisionCount)", "_ = nextCollisionCount(i.d.Status.CollisionCount)"}},
		{"kubernetes-134773", "another serialisation of the same template rolls out everything", otherBytes,
			mutant{"revision:ChooseUpdate", "r != nil", "false"}},
		{"kubernetes-69967", "of two revisions with one number now this, now that one is the newest", equalNumbers,
			mutant{"revision", "cmp.Or(cmp.Compare(a.Revision, b.Revision), a.CreationTimestamp.Compare(b.CreationTimestamp),\n\t\tcmp.Compare(a.Name, b.Name), cmp.Compare(a.UID, b.UID))", "cmp.Or(cmp.Compare(a.Revision, b.Revision), a.CreationTimestamp.Compare(b.CreationTimestamp),\n\t\t0)"}},
		{"kubernetes-23087", "after a rollback the change cause is that of the version that was left", causeOfTarget,
			mutant{"revision", "for k, v := range r {\n\t\tif opts.Keys.copied(k) {\n\t\t\tp(k, v)\n\t\t}\n\t}", "for k, v := range deployment {\n\t\tif opts.Keys.copied(k) {\n\t\t\tp(k, v)\n\t\t}\n\t}"}},
		{"kubernetes-36851", "an annotation that was removed stays on the ReplicaSet", removedAnnotation,
			mutant{"revision:SyncWith", "opts.Keys.copied(k)", "false"}},
		{"website-6921", "undoing twice leads back to where one started", undoTwice,
			mutant{"revision/kubectl:targetSteps", "a-s", "a-1"}},
	}
}

// history returns one ReplicaSet for each revision, named a, b and so on by age.
func history(numbers ...string) []revision.Entry {
	list := make([]revision.Entry, len(numbers))
	for i, number := range numbers {
		name := string(rune('a' + i))
		list[i] = revision.Entry{
			Name: name, UID: name, Template: revision.Template{ID: name}, CreationTimestamp: t0.Add(time.Duration(i) * time.Minute),
			Annotations: map[string]string{revision.AnnotationRevision: number}, Replicas: ptr.To(int32(0)),
		}
	}
	return list
}

func reusedHistory(t *testing.T) {
	list := history("3", "2")
	list[0].Annotations[revision.AnnotationHistory] = "1"
	rows, _ := kubectl.History(list, list[0].Template)
	require.Len(t, rows, 2, "which is what kubectl shows")
	require.Equal(t, []kubectl.Record{{Number: 1, Entry: 0, Former: true}, {Number: 2, Entry: 1}, {Number: 3, Entry: 0}}, kubectl.FullHistory(list))
	at, err := kubectl.Target(list, 0, kubectl.Request{Number: 1})
	require.NoError(t, err)
	require.Zero(t, at)
}

// tamperedRevision: 3 before "bad" before 1 by age, and 1 before 3 by revision.
func tamperedRevision(t *testing.T) {
	list := history("3", "bad", "1")
	order := func(list []revision.Entry, opts revision.Options) (names string) {
		for _, i := range revision.ByRevision(list, opts) {
			names += list[i].Name
		}
		return names
	}
	shuffle := rand.New(rand.NewSource(1))
	for range 20 {
		mixed := slices.Clone(list)
		shuffle.Shuffle(len(mixed), func(i, j int) { mixed[i], mixed[j] = mixed[j], mixed[i] })
		require.Equal(t, order(list, revision.Options{}), order(mixed, revision.Options{}))
		require.Equal(t, "bca", order(mixed, revision.Options{Repair: quirk.All}), "one that does not parse is 0")
	}
}

func hashCollision(t *testing.T) {
	s := snapshot(web(3), set(1, 3))
	other := set(9, 1, func(rs *replicaset.ReplicaSet) { rs.Name, rs.ControllerUID = "web-v2", "other" })
	s.ReplicaSets = append(s.ReplicaSets, other)
	p, err := deploy.NewPass(s, t0, deploy.Options{})
	require.NoError(t, err)
	require.Equal(t, "web-v2", p.Plan.Actions[0].(deploy.CreateReplicaSet).Name)
	r := p.Finish(deploy.Report{Outcomes: []kplan.Outcome{{Answer: kplan.AlreadyExists}}})
	require.Error(t, r.Err)
	require.Equal(t, ptr.To(int32(1)), r.Status.CollisionCount)
	require.NotEqual(t, revision.Hash("dump", nil), revision.Hash("dump", r.Status.CollisionCount))
}

func otherBytes(t *testing.T) {
	before, after := []byte(`{"spec":{"template":{"metadata":{"creationTimestamp":null}}}}`), []byte(`{"spec":{"template":{"metadata":{}}}}`)
	sts := revision.StatefulSet{Name: "db", UID: "db-uid", Data: after}
	list := []revision.ControllerRevision{{Name: "db-1", ControllerUID: "db-uid", Data: before, Revision: 1}}
	require.Equal(t, revision.VerbKeep, revision.ChooseUpdate(sts, list, after, revision.Options{}).Verb)
	current, _ := revision.Partition(list, after, revision.Options{})
	require.Empty(t, current, "a DaemonSet still compares bytes")
	current, _ = revision.Partition(list, after, revision.Options{Repair: quirk.All})
	require.Equal(t, []int{0}, current)
}

func equalNumbers(t *testing.T) {
	a := revision.ControllerRevision{Name: "db-a", UID: "2", Revision: 1, CreationTimestamp: t0, Data: []byte("1")}
	b := revision.ControllerRevision{Name: "db-b", UID: "1", Revision: 1, CreationTimestamp: t0, Data: []byte("1")}
	sts := revision.StatefulSet{Name: "db", UID: "db-uid", Data: []byte("1")}
	for _, list := range [][]revision.ControllerRevision{{a, b}, {b, a}} {
		c := revision.ChooseUpdate(sts, list, nil, revision.Options{})
		require.Equal(t, revision.VerbKeep, c.Verb)
		require.Equal(t, "db-b", c.Revision.Name)
	}
}

func causeOfTarget(t *testing.T) {
	list := history("1", "2")
	list[0].Annotations[kubectl.AnnotationChangeCause] = "create"
	list[1].Annotations[kubectl.AnnotationChangeCause] = "apply"
	w := revision.Workload{Name: "web", Template: list[1].Template, Annotations: map[string]string{kubectl.AnnotationChangeCause: "apply"}}
	u, err := kubectl.PlanUndo(w, list, 0, revision.Options{})
	require.NoError(t, err)
	require.Equal(t, "create", u.Annotations[kubectl.AnnotationChangeCause])
	require.Equal(t, "create", revision.PlanRollback(w, list, 0, revision.Options{}).Annotations[kubectl.AnnotationChangeCause])
}

func removedAnnotation(t *testing.T) {
	former := map[string]string{"team": "red", revision.AnnotationRevision: "1"}
	_, changed := revision.SyncWith(map[string]string{}, former, 1, revision.Options{})
	require.False(t, changed)
	c, changed := revision.SyncWith(map[string]string{}, former, 1, revision.Options{ExactAnnotations: true})
	require.True(t, changed)
	require.Equal(t, []string{"team"}, c.Remove)
}

// undoTwice: of versions 1, 2 and 3 the last was undone, so that 2 has become 4.
func undoTwice(t *testing.T) {
	list := history("1", "4", "3")
	list[1].Annotations[revision.AnnotationHistory] = "2"
	w := revision.Workload{Name: "web", Template: list[1].Template}
	u, err := kubectl.PlanUndo(w, list, 0, revision.Options{})
	require.NoError(t, err)
	require.Equal(t, "c", list[u.Source].Name, "which is what kubectl does")
	at, err := kubectl.Target(list, 1, kubectl.Request{Steps: 3})
	require.NoError(t, err)
	require.Equal(t, "a", list[at].Name)
}
