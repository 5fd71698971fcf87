// SPDX-License-Identifier: Apache-2.0

package daemonset_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/daemonset/reason"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/selector"
)

func shuffled[T any](random *rand.Rand, list []T) {
	random.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
}

// A created pod and a new node concern one DaemonSet in two ways: however the DaemonSets come, so
// many that sorting them is not stable, the effects have one order.
func TestEffectsInOrder(t *testing.T) {
	var sets []daemonset.DaemonSet
	for i := range 30 {
		sets = append(sets, daemonset.DaemonSet{Name: fmt.Sprint("agent", i), UID: fmt.Sprint("u", i), Selector: selector.FromLabels(map[string]string{"app": "agent"})})
	}
	c := daemonset.Change{
		Node: daemonset.NodeEvent{New: &daemonset.Node{Name: "n1"}},
		Pod:  daemonset.PodEvent{New: &daemonset.Pod{Pod: podorder.Pod{Name: "p", ControllerUID: "u7"}}},
	}
	want := daemonset.Effects(c, sets, daemonset.Options{})
	require.Len(t, want, 31)
	random := rand.New(rand.NewPCG(1, 2))
	for range 50 {
		shuffled(random, sets)
		require.Equal(t, want, daemonset.Effects(c, sets, daemonset.Options{}))
	}
}

// Two orphans of one name are an error if the plan would act on them: which comes first decided
// their order. So are two revisions. Others are not looked at.
func TestOneNameTwice(t *testing.T) {
	orphan := func(uid, app string) daemonset.Pod {
		return daemonset.Pod{Pod: podorder.Pod{Name: "p", UID: uid, Labels: map[string]string{"app": app}}}
	}
	stored := func(uid, app string) revision.ControllerRevision {
		return revision.ControllerRevision{Name: "agent-x", UID: uid, Labels: map[string]string{"app": app}, Data: []byte("x")}
	}
	for _, c := range []struct {
		why  string
		edit func(*daemonset.Snapshot)
		want string
	}{
		{"two orphans", func(s *daemonset.Snapshot) { s.Pods = []daemonset.Pod{orphan("1", "agent"), orphan("2", "agent")} }, `Pods["p"].Name: "p": must be unique`},
		{"an orphan without a name", func(s *daemonset.Snapshot) {
			s.Pods = []daemonset.Pod{{Pod: podorder.Pod{Labels: map[string]string{"app": "agent"}}}}
		}, `Pods[""].Name: "": must be set`},
		{"of another selector", func(s *daemonset.Snapshot) { s.Pods = []daemonset.Pod{orphan("1", "agent"), orphan("2", "x")} }, ""},
		{"two revisions", func(s *daemonset.Snapshot) {
			s.Revisions = append(s.Revisions, stored("1", "agent"), stored("2", "agent"))
		}, `Revisions["agent-x"].Name: "agent-x": must be unique`},
		{"of another selector", func(s *daemonset.Snapshot) {
			s.Revisions = append(s.Revisions, stored("1", "agent"), stored("2", "x"))
		}, ""},
	} {
		s := with(cluster(1), c.edit)
		_, err := daemonset.Reconcile(s, t0, daemonset.Options{})
		if c.want == "" {
			require.NoError(t, err, c.why)
			continue
		}
		require.EqualError(t, err, c.want, c.why)
	}
}

// Of several revisions with the name of the new one, of which a namespace has one, the first by UID
// decides, in whatever order they come.
func TestNameOfRevisionTakenTwice(t *testing.T) {
	s := cluster(1)
	s.Revisions = nil
	for i, data := range []string{"other", string(s.DaemonSet.Template.Data)} {
		s.Revisions = append(s.Revisions, revision.ControllerRevision{
			Name: "agent-" + s.DaemonSet.Template.Hash, UID: fmt.Sprint(i), ControllerUID: "x", Data: []byte(data),
		})
	}
	for range 2 {
		p := mustPlan(t, s, daemonset.Options{})
		require.Equal(t, reason.Collision, p.Holds[0].Reason)
		s.Revisions[0], s.Revisions[1] = s.Revisions[1], s.Revisions[0]
	}
}
