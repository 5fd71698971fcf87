// SPDX-License-Identifier: Apache-2.0

package bugbank_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/daemonset/quirk"
	"github.com/kplan-go/kplan/internal/base/ptr"
	"github.com/kplan-go/kplan/rollout"
)

func podsOfDaemonSets() []entry {
	return []entry{
		{"kubernetes-50477", "a pod is started while the old one on the node is still ending", endingPod,
			mutant{"daemonset:state.decideNodes", "k.count > 0", "k.count > 0 && !st.facts[st.grouped[k.first]].has(isTerminating)"}},
		{"kubernetes-118716", "a pod that has ended, and is held by a finalizer, keeps its node empty", endedPod,
			mutant{"daemonset:Pod.place", "f.has(isFinished)", "false"}},
		{"kubernetes-54096", "two pods of a DaemonSet stay on one node", duplicatePods,
			mutant{"daemonset", "len(r) < 2", "true"}},
		{"kubernetes-65240", "a pod that the node rejects is deleted and created again without end", failedBackoff,
			mutant{"daemonset:NodeRules.deleteFailed", "u.IsZero()", "true"}},
		{"kubernetes-124388", "with surge, pods that the node rejects pile up", failedSurge,
			mutant{"daemonset", "(d.Waiting == nil || !r.Options.Repair.Has(quirk.SurgeIgnoresBackoff))", "true"}},
		{"kubernetes-92960", "the seconds of a toleration of the template are overwritten", ownTolerations,
			mutant{"daemonset", "!o.KeepUserTolerations", "true"}},
		{"kubernetes-122527", "the status counts the pod that is ending, not the one that took over", statusOfBest,
			mutant{"daemonset", "!s.opts.Repair.Has(quirk.StatusCountsDeletedPod)", "quirk.StatusCountsDeletedPod != 0"}},
		{"kubernetes-75836", "a pod that is ending is deleted again, and the deletion never seen", deletedTwice,
			mutant{"daemonset", "!(p.terminating() && s.opts.Repair.Has(quirk.PodsOfMissingNodesDeletedAgain))", "quirk.PodsOfMissingNodesDeletedAgain != 0"}},
	}
}

func endingPod(t *testing.T) {
	s := agents(1, agent("p1", "n1", "v2", deleting))
	require.Empty(t, does(daemonSet(t, s, daemonset.Options{})))
	require.Empty(t, does(daemonSet(t, s, openKruise)))
	s.Pods = nil
	require.Equal(t, "+n1", does(daemonSet(t, s, daemonset.Options{})))
}

func endedPod(t *testing.T) {
	s := agents(1, agent("p1", "n1", "v2", failed, deleting))
	require.Equal(t, "+n1", does(daemonSet(t, s, daemonset.Options{})))
	require.Empty(t, does(daemonSet(t, s, openKruise)), "which is not repaired there")
}

func duplicatePods(t *testing.T) {
	younger := func(p *daemonset.Pod) { p.CreationTimestamp = t0.Add(-time.Minute) }
	s := agents(1, agent("p1", "n1", "v2", younger), agent("p2", "n1", "v2", unready))
	require.Equal(t, "-p1", does(daemonSet(t, s, daemonset.Options{})))
	require.Equal(t, "-p2", does(daemonSet(t, s, daemonset.Options{KeepHealthyDuplicate: true})))
}

// rejected has a failed pod, and another one that was deleted a second ago.
func rejected(surge int32) daemonset.Snapshot {
	s := agents(1, agent("p1", "n1", "v2", failed))
	s.DaemonSet.MaxSurge = rollout.Int(surge)
	s.Backoff = daemonset.Backoff{{
		BackoffKey: daemonset.BackoffKey{UID: "agent-uid", Node: "n1"}, Delay: 4 * time.Second, Since: t0.Add(-time.Second),
	}}
	return s
}

func failedBackoff(t *testing.T) {
	s := rejected(0)
	p := daemonSet(t, s, daemonset.Options{})
	require.Empty(t, does(p))
	require.Equal(t, t0.Add(3*time.Second), p.RecheckAt)
	s.Backoff[0].Since = t0.Add(-4 * time.Second)
	p = daemonSet(t, s, daemonset.Options{})
	require.Equal(t, "-p1", does(p))
	require.Equal(t, 8*time.Second, p.Backoff[0].Delay)
}

func failedSurge(t *testing.T) {
	require.Equal(t, "+n1", does(daemonSet(t, rejected(1), daemonset.Options{})))
	require.Empty(t, does(daemonSet(t, rejected(1), daemonset.Options{Repair: quirk.All})))
}

func ownTolerations(t *testing.T) {
	own := daemonset.Toleration{Key: daemonset.TaintNotReady, Operator: daemonset.TolerationExists, Effect: daemonset.NoExecute, Seconds: ptr.To(int64(30))}
	template := daemonset.Template{Tolerations: []daemonset.Toleration{own}}
	require.Nil(t, daemonset.Tolerations(&template, daemonset.Options{})[0].Seconds)
	require.Equal(t, own, daemonset.Tolerations(&template, daemonset.Options{KeepUserTolerations: true})[0])
}

func statusOfBest(t *testing.T) {
	s := agents(1, agent("p1", "n1", "v1", deleting, unready), agent("q1", "n1", "v2", func(p *daemonset.Pod) { p.CreationTimestamp = t0 }))
	require.Zero(t, daemonSet(t, s, daemonset.Options{}).Status.NumberAvailable)
	status := daemonSet(t, s, daemonset.Options{Repair: quirk.All}).Status
	require.Equal(t, int32(1), status.NumberAvailable)
	require.Equal(t, int32(1), status.UpdatedNumberScheduled)
}

// deletedTwice: the node of the pod is gone, and a finalizer holds the pod.
func deletedTwice(t *testing.T) {
	s := agents(0, agent("p1", "", "v2", unready, deleting, func(p *daemonset.Pod) { p.PinnedNode = "gone" }))
	require.Equal(t, "-p1", does(daemonSet(t, s, daemonset.Options{})))
	require.Empty(t, does(daemonSet(t, s, daemonset.Options{Repair: quirk.All})))
}
