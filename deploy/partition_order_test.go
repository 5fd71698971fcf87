// SPDX-License-Identifier: Apache-2.0

package deploy_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/deploy/quirk"
	"github.com/kplan-go/kplan/deploy/reason"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/revision"
)

// quirk.OldestFirstUnderPartition: the order in which templates go is lost for some numbers of old sets.
func TestPartitionOrder(t *testing.T) {
	s := partitioned(6, strategy("20%", "25%", "25%"), set(1, 3), set(2, 1), set(3, 2), set(4, 2))
	s.Deployment.Template = revision.Template{ID: "v4", Hash: "v4"}
	p := reconcile(t, s)
	require.Equal(t, "web-v1 3->1", sizes(p), "released builds start with the oldest")
	p, err := deploy.Reconcile(s, t0, deploy.Options{Repair: quirk.All})
	require.NoError(t, err)
	require.Equal(t, "web-v3 2->0", sizes(p), "the middle goes first, what was stable last")

	for n, spare := range map[int]bool{1: false, 2: false, 3: true, 4: false, 5: true, 6: true, 7: true, 8: false, 9: true, 15: true, 16: false} {
		var sets []replicaset.ReplicaSet
		for i := range n {
			sets = append(sets, set(i+1, 2))
		}
		s := partitioned(int32(2*n+1), strategy("100%", "0", "2"), append(sets, set(n+1, 1))...)
		s.Deployment.Template = revision.Template{ID: fmt.Sprint("v", n+1), Hash: "x"}
		first := fmt.Sprintf("web-v%d 2->0", n)
		if spare {
			first = "web-v1 2->0"
		}
		require.Equal(t, first, sizes(reconcile(t, s)), "%d old sets", n)
	}
}

// quirk.OldestFirstUnderPartition: a new set older than an old one is taken for old, grown again, and so on.
func TestPartitionLoop(t *testing.T) {
	moment := func() deploy.Snapshot {
		s := partitioned(6, strategy("20%", "25%", "25%"), set(0, 0), set(1, 3), set(2, 1), set(3, 2))
		s.Deployment.Template = revision.Template{ID: "v0", Hash: "v0"}
		return s
	}
	s, loop := moment(), []string{}
	for range 12 {
		p := reconcile(t, s)
		if sizes(p) != "none" {
			loop = append(loop, sizes(p))
			requireEqual(t, "the reason tells who is taken for whom", loop[len(loop)-1] == "web-v0 2->0", takenForOld(p))
		}
		execute(t, &s, p)
		settle(&s)
	}
	require.Equal(t, []string{"web-v0 0->2", "web-v0 2->0", "web-v0 0->2"}, loop[:3], "forever")
	require.Greater(t, len(loop), 6)

	s = moment()
	for range 12 {
		p, err := deploy.Reconcile(s, t0, deploy.Options{Repair: quirk.All})
		require.NoError(t, err)
		execute(t, &s, p)
		settle(&s)
	}
	require.Equal(t, traceSizes{New: 2, Old: 4}, partitionSizes(s))
}

// takenForOld reports whether a plan scales for that reason.
func takenForOld(p deploy.Plan) bool {
	return slices.ContainsFunc(p.Actions, func(a deploy.Action) bool {
		scale, ok := a.(deploy.ScaleReplicaSet)
		return ok && scale.Reason == reason.TakenForOld
	})
}

// The latest template goes first: sets whose revision does not parse have a place by their age.
func TestPartitionOrderOfUnusableRevisions(t *testing.T) {
	for _, c := range []struct{ first, second, want string }{
		{"1", "2", "web-v2 3->1"},
		{"2", "1", "web-v1 3->1"},
		{"1", "1", "web-v1 3->1"},
		{"", "1", "web-v1 3->1"},
		{"none", "-1", "web-v1 3->1"},
		{"none", "1", "web-v2 3->1"},
		{"x", "2", "web-v1 3->1"},
		{"1", "x", "web-v1 3->1"},
	} {
		unnumbered := func(rs *replicaset.ReplicaSet) {
			if rs.Annotations[revision.AnnotationRevision] == "none" {
				delete(rs.Annotations, revision.AnnotationRevision)
			}
		}
		s := partitioned(6, strategy("50%", "50%", "0"), set(1, 3, numbered(c.first), unnumbered), set(2, 3, numbered(c.second)), set(3, 3, counts(3, 2), numbered("9")))
		s.Deployment.Template = revision.Template{ID: "v3", Hash: "v3"}
		require.Equal(t, c.want, sizes(reconcile(t, s)), "%q, %q", c.first, c.second)
	}
}
