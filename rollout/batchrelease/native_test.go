// SPDX-License-Identifier: Apache-2.0

package batchrelease_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/batchrelease"
	"github.com/kplan-go/kplan/rollout/workload/quirk"
)

// The partition of a native DaemonSet is read as OpenKruise reads it: what a scan of one
// number of 32 bits takes.
func TestDesiredOfNativeBatch(t *testing.T) {
	for _, c := range []struct {
		partition string
		want      int32 // of 8 pods
		ok        bool
	}{
		{"3", 5, true}, {" 3 ", 5, true}, {"\t3", 5, true}, {"3x", 5, true}, {"50%", 0, true}, {"+3", 5, true}, {"-1", 9, true}, {"2.5", 6, true},
		{"0x5", 8, true}, {"1_0", 7, true}, {"999", 0, true}, {"2147483647", 0, true}, {"-2147483648", 0, true}, // wraps around below 0, which is none
		{"", 0, false}, {"  ", 0, false}, {"x3", 0, false}, {"+", 0, false}, {"- 3", 0, false}, {"\n3", 0, false}, {"\r\n3", 0, false}, {"٣", 0, false},
		{"2147483648", 0, false}, {"99999999999999999999", 0, false},
	} {
		got, err := batchrelease.NativeBatch{Partition: c.partition, Pods: make([]batchrelease.DaemonSetPod, 8)}.Desired()
		require.Equal(t, c.want, got, "%q", c.partition)
		require.Equal(t, c.ok, err == nil, "%q", c.partition)
		if err != nil {
			requireFieldError(t, err, c.partition)
			require.ErrorContains(t, err, "Partition")
		}
	}
}

// Which pods of a native DaemonSet go.
func TestNativeVictims(t *testing.T) {
	old := func(name string, change func(p *batchrelease.DaemonSetPod)) batchrelease.DaemonSetPod {
		p := batchrelease.DaemonSetPod{Name: name, Revision: "old", Ready: true, CreationTimestamp: now}
		if change != nil {
			change(&p)
		}
		return p
	}
	pods := []batchrelease.DaemonSetPod{
		old("older", func(p *batchrelease.DaemonSetPod) { p.CreationTimestamp = now.Add(-time.Hour) }), old("newer", nil),
		old("dear", func(p *batchrelease.DaemonSetPod) { p.DeletionCost = "5" }), old("cheap", func(p *batchrelease.DaemonSetPod) { p.DeletionCost = "-5" }),
		old("unready", func(p *batchrelease.DaemonSetPod) { p.Ready = false }), old("pending", func(p *batchrelease.DaemonSetPod) { p.Ready, p.Pending = false, true }),
	}
	fresh := batchrelease.DaemonSetPod{Name: "fresh", Revision: "new", Ready: true}
	broken := batchrelease.DaemonSetPod{Name: "broken", Revision: "new"}
	for _, c := range []struct {
		why       string
		partition string
		limit     rollout.IntOrPercent
		more      []batchrelease.DaemonSetPod
		want      string
	}{
		{"pending, not ready, then by cost and age", "0", rollout.Int(9), nil, "[pending unready cheap newer older dear]"},
		{"the leading number is the partition", "3x", rollout.Int(9), nil, "[pending unready cheap]"}, {"50% is 50", "50%", rollout.Int(9), nil, "[]"},
		{"blanks in front are skipped", " 3 ", rollout.Int(9), nil, "[pending unready cheap]"},
		{"ready ones are limited, others are not", "0", unset, nil, "[pending unready cheap]"}, {"what is updated and not ready uses the limit", "0", rollout.Int(1), []batchrelease.DaemonSetPod{broken}, "[pending unready]"},
		{"a share, rounded down", "0", rollout.Percent(34), nil, "[pending unready cheap newer]"}, {"at least 1", "0", rollout.Percent(1), nil, "[pending unready cheap]"},
		{"no need", "6", rollout.Int(9), []batchrelease.DaemonSetPod{fresh}, "[]"}, {"need 2 less 1", "5", rollout.Int(9), []batchrelease.DaemonSetPod{fresh}, "[pending]"},
	} {
		b := batchrelease.NativeBatch{Partition: c.partition, Revision: "new", MaxUnavailable: c.limit, DesiredNumberScheduled: 6, Pods: append(c.more, pods...)}
		got, err := b.Victims(0)
		require.NoError(t, err)
		require.Equal(t, c.want, fmt.Sprint(got), c.why)
	}
	// One more is to go, and it is going: upstream lets another one go, too.
	going := old("going", func(p *batchrelease.DaemonSetPod) {
		p.DeletionTimestamp, p.CreationTimestamp = now, now.Add(-2*time.Hour)
	})
	b := batchrelease.NativeBatch{Partition: "5", Revision: "new", MaxUnavailable: rollout.Int(9), Pods: append([]batchrelease.DaemonSetPod{going}, pods[:5]...)}
	for repair, want := range map[quirk.Set]string{0: "[unready]", quirk.DeletingPodsListed: "[]"} {
		got, err := b.Victims(repair)
		require.NoError(t, err)
		require.Equal(t, want, fmt.Sprint(got))
	}
	alike := []batchrelease.DaemonSetPod{old("c", nil), old("a", nil), old("b", nil)}
	for range 2 {
		got, err := batchrelease.NativeBatch{Partition: "1", Revision: "new", MaxUnavailable: rollout.Int(9), Pods: alike}.Victims(0)
		require.NoError(t, err)
		require.Equal(t, "[a b]", fmt.Sprint(got), "by name, in whatever order they come")
		slices.Reverse(alike)
	}
	_, err := batchrelease.NativeBatch{Partition: "x", Revision: "new", Pods: pods}.Victims(0)
	require.ErrorIs(t, err, kplan.ErrInvalid)
}
