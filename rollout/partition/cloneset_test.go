// SPDX-License-Identifier: Apache-2.0

package partition_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/partition"
)

// A share of 33.3% of ten pods is 3.33, rounded up; one pod of several is left unless it is 100%.
func ExampleLimitOfShare() {
	for _, share := range []string{"33.3%", "99.9%", "100%", "a third"} {
		fmt.Println(partition.LimitOfShare(share, 10))
	}
	// Output:
	// 4 <nil>
	// 9 <nil>
	// 10 <nil>
	// 0 "a third": must be a percentage such as 33.3%
}

// 20% of nine pods are 1.8: two without a surge, one beside it.
func ExampleCloneSetBudget() {
	fmt.Println(partition.CloneSetBudget(9, &partition.RollingUpdate{}, false))
	fmt.Println(partition.CloneSetBudget(9, &partition.RollingUpdate{MaxSurge: rollout.Int(1)}, false))
	// Output:
	// at most 9, at least 7 available
	// at most 10, at least 8 available
}

// Of five old pods three stay, and one more than five may be there: it is made first, and two
// pods are to be updated, of which one may be unavailable.
func ExampleCloneSet_Diff() {
	five := rollout.Budget{Replicas: 5, Surge: 1, Unavailable: 1}
	d := partition.CloneSet{Budget: five, KeptOld: 3, Old: partition.CloneSetPods{Count: 5}}.Diff()
	fmt.Println("add", d.Up, "surge", d.Surge, "update", d.Update, "unavailable", d.UpdateUnavailable)
	// Output: add 1 surge 1 update 2 unavailable 1
}

func TestLimitOfShare(t *testing.T) {
	for _, c := range []struct {
		share    string
		replicas int32
		want     int32
	}{
		{"0%", 5, 0}, {"0.0%", 5, 0}, {"0.0000001%", 5, 1}, {"20%", 5, 1}, {"20.0%", 5, 1}, {"20.1%", 5, 2}, {"33.3%", 1000, 333},
		{"99.9999999%", 5, 4}, {"100.0%", 5, 5}, {"100.1%", 5, 4}, {"99.9%", 1, 1}, {"99.9%", 2, 1}, {"12%", 0, 0}, {"12%", -3, 0}, {"50.%", 4, 2},
		{"99.9999999%", 2147483647, 2147483645}, {"9223372036854775807%", 9, 8},
	} {
		got, err := partition.LimitOfShare(c.share, c.replicas)
		require.NoError(t, err, c.share)
		require.Equal(t, c.want, got, "%s of %d", c.share, c.replicas)
	}
	for _, bad := range []string{"", "%", "5", ".5%", "-1%", "+1%", "1e2%", "1/3%", "0.00000001%", "1.2.3%", " 3%", "NaN%", "18446744073709551616%"} {
		_, err := partition.LimitOfShare(bad, 5)
		var field *kplan.FieldError
		require.ErrorAs(t, err, &field, bad)
	}
}

// What a whole share allows is what [partition.Limit] says.
func TestPropertyLimitOfShare(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		share, replicas := rapid.Int32Range(0, 300).Draw(t, "share"), rapid.Int32().Draw(t, "replicas")
		got, err := partition.LimitOfShare(fmt.Sprint(share, "%"), replicas)
		require.NoError(t, err)
		require.Equal(t, partition.Limit(rollout.Percent(share), max(0, replicas)), got)
	})
}

// A cloneSetWorld carries out what a CloneSet has to do. Pods are available when a pass ends
// or, of those that are updated, when the one after it does.
type cloneSetWorld struct{ partition.CloneSet }

func (w *cloneSetWorld) there() int64 { return int64(w.Old.Count) + int64(w.New.Count) }

func (w *cloneSetWorld) pass() bool {
	d := w.Diff()
	w.Old.Unavailable, w.New.Unavailable = 0, 0
	switch {
	case d.Up > 0:
		old := int32(min(d.UpOld, d.UpLimit))
		w.Old.Count += old
		w.New.Count += int32(d.UpLimit) - old
	case d.Down > 0:
		gone := min(d.Down, d.DeleteReady)
		old := min(gone, d.DownOld)
		w.Old.Count -= int32(old)
		w.New.Count -= int32(gone - old)
	case d.Update > 0:
		n := int32(max(0, min(d.Update, d.UpdateUnavailable)))
		w.Old.Count, w.New.Count, w.New.Unavailable = w.Old.Count-n, w.New.Count+n, n
	case d.Update < 0:
		n := int32(max(0, min(-d.Update, d.UpdateUnavailable)))
		w.Old.Count, w.New.Count, w.Old.Unavailable = w.Old.Count+n, w.New.Count-n, n
	default:
		return false
	}
	return true
}

// A rollout in place stays within the surge and what may be unavailable, and ends with as many
// old pods as are to stay, and all replicas.
func TestPropertyCloneSetEnds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		replicas := rapid.Int32Range(0, 20).Draw(t, "replicas")
		old := rapid.Int32Range(0, replicas).Draw(t, "old")
		w := cloneSetWorld{partition.CloneSet{
			Budget:  rollout.Budget{Replicas: replicas, Surge: rapid.Int32Range(0, 4).Draw(t, "surge"), Unavailable: rapid.Int32Range(0, 4).Draw(t, "unavailable")},
			KeptOld: rapid.Int32Range(0, replicas).Draw(t, "kept"), Back: rapid.Bool().Draw(t, "back"),
			Old: partition.CloneSetPods{Count: old}, New: partition.CloneSetPods{Count: replicas - old},
		}}
		if w.Budget.Surge+w.Budget.Unavailable == 0 {
			w.Budget.Unavailable = 1
		}
		passes := 0
		for ; w.pass(); passes++ {
			require.Less(t, passes, 200, "%+v", w)
			require.LessOrEqual(t, w.there(), int64(replicas)+int64(w.Budget.Surge), "%+v", w)
			available := w.there() - int64(w.Old.Unavailable) - int64(w.New.Unavailable)
			require.GreaterOrEqual(t, available, int64(w.Budget.MinAvailable()), "%+v", w)
		}
		kept := w.KeptOld
		if !w.Back {
			kept = min(old, kept)
		}
		require.Equal(t, []int32{kept, replicas - kept}, []int32{w.Old.Count, w.New.Count}, "%+v", w)
	})
}

// Whatever is counted: pods are not added and deleted at once, and limits are kept.
func TestPropertyCloneSetDiff(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pods := func(of string) partition.CloneSetPods {
			n := rapid.SliceOfN(rapid.Int32Range(0, 5), 4, 4).Draw(t, of)
			return partition.CloneSetPods{Count: n[0] + n[1] + n[2] + n[3], Marked: n[1], Leaving: n[2], Unavailable: n[3]}
		}
		replicas := rapid.Int32Range(0, 12).Draw(t, "replicas")
		c := partition.CloneSet{
			Budget:  rollout.Budget{Replicas: replicas, Surge: rapid.Int32Range(0, 4).Draw(t, "surge"), Unavailable: rapid.Int32Range(0, 4).Draw(t, "unavailable")},
			KeptOld: rapid.Int32Range(0, replicas).Draw(t, "kept"), Back: rapid.Bool().Draw(t, "back"), ReplaceLeaving: rapid.Bool().Draw(t, "replace"),
			Old: pods("old"), New: pods("new"),
		}
		d := c.Diff()
		require.False(t, d.Up > 0 && d.Down > 0, "%+v", d)
		require.LessOrEqual(t, d.UpLimit, d.Up)
		require.LessOrEqual(t, d.Surge, int64(c.Budget.Surge))
		require.LessOrEqual(t, d.SurgeOld, d.Surge)
		require.True(t, c.Back || d.Update >= 0, "%+v", d)
		if c.ReplaceLeaving && d.Up == 0 { // a pod that leaves is replaced, or there are enough without it
			require.GreaterOrEqual(t, int64(c.Old.Count+c.New.Count-c.Old.Leaving-c.New.Leaving), int64(c.Budget.Replicas)+d.Surge)
		}
	})
}

// Worked out by hand: what is there is 5 pods, of which some are new.
func TestCloneSetDiff(t *testing.T) {
	pods := func(count, marked, leaving, unavailable int32) partition.CloneSetPods {
		return partition.CloneSetPods{Count: count, Marked: marked, Leaving: leaving, Unavailable: unavailable}
	}
	b := func(replicas, surge, unavailable int32) rollout.Budget {
		return rollout.Budget{Replicas: replicas, Surge: surge, Unavailable: unavailable}
	}
	for _, c := range []struct {
		why  string
		set  partition.CloneSet
		want partition.CloneSetDiff
	}{
		{"a marked pod is not deleted for another reason as well", partition.CloneSet{Budget: b(4, 0, 1), New: pods(5, 1, 0, 0)}, partition.CloneSetDiff{DeleteReady: 2}},
		{"what is unavailable takes from ready pods that may go", partition.CloneSet{Budget: b(5, 0, 2), New: pods(5, 1, 0, 1)}, partition.CloneSetDiff{DeleteReady: 1}},
		{"a pod is missing, and none is to be updated", partition.CloneSet{Budget: b(6, 0, 1), KeptOld: 2, Back: true, Old: pods(2, 0, 0, 0), New: pods(3, 0, 0, 0)}, partition.CloneSetDiff{Up: 1, UpLimit: 1}},
		{"back to the old revision, with an old pod more", partition.CloneSet{Budget: b(5, 2, 1), KeptOld: 3, Back: true, Old: pods(2, 0, 0, 0), New: pods(3, 0, 0, 0)},
			partition.CloneSetDiff{Up: 1, UpOld: 2, UpLimit: 1, Surge: 1, SurgeOld: 1, Update: -1, UpdateUnavailable: 1}},
		{"a pod that leaves counts until it is gone", partition.CloneSet{Budget: b(5, 0, 1), New: pods(5, 0, 1, 0)}, partition.CloneSetDiff{}},
		{"or is replaced", partition.CloneSet{Budget: b(5, 0, 1), ReplaceLeaving: true, New: pods(5, 0, 1, 0)}, partition.CloneSetDiff{Up: 1, UpLimit: 1}},
		{"marked old pods are not too many as well", partition.CloneSet{Budget: b(4, 0, 1), KeptOld: 2, Old: pods(6, 2, 0, 0), New: pods(2, 0, 0, 0)},
			partition.CloneSetDiff{Down: 2, DownOld: 2, DeleteReady: 5}},
		{"nor are old pods that leave, where they are replaced", partition.CloneSet{Budget: b(4, 0, 1), KeptOld: 1, ReplaceLeaving: true, Old: pods(5, 0, 2, 0), New: pods(3, 0, 0, 0)},
			partition.CloneSetDiff{Down: 2, DownOld: 2, DeleteReady: 3}},
		{"an old pod that leaves is replaced by an old one", partition.CloneSet{Budget: b(5, 0, 1), KeptOld: 3, ReplaceLeaving: true, Old: pods(3, 0, 1, 0), New: pods(2, 0, 0, 0)},
			partition.CloneSetDiff{Up: 1, UpOld: 1, UpLimit: 1}},
		{"pods that leave are unavailable", partition.CloneSet{Budget: b(9, 0, 1), ScaleUnavailable: rollout.Int(3), Old: pods(1, 0, 1, 0), New: pods(4, 0, 0, 1)},
			partition.CloneSetDiff{Up: 4, UpLimit: 1}},
		{"marked old pods, beyond what may be unavailable, are replaced before", partition.CloneSet{Budget: b(5, 2, 1), KeptOld: 5, Old: pods(5, 2, 0, 1)},
			partition.CloneSetDiff{Up: 2, UpOld: 2, UpLimit: 2, Surge: 2, SurgeOld: 2}},
		{"of marked pods of both revisions the new ones are replaced by new ones", partition.CloneSet{Budget: b(5, 2, 1), KeptOld: 3, Old: pods(3, 1, 0, 0), New: pods(2, 1, 0, 1)},
			partition.CloneSetDiff{Up: 2, UpOld: 1, UpLimit: 2, Surge: 2, SurgeOld: 1}},
		{"within the surge", partition.CloneSet{Budget: b(5, 1, 1), KeptOld: 5, Old: pods(5, 2, 0, 1)},
			partition.CloneSetDiff{Up: 1, UpOld: 1, UpLimit: 1, Surge: 1, SurgeOld: 1}},
		{"an old pod that leaves is not updated", partition.CloneSet{Budget: b(5, 0, 1), Old: pods(3, 0, 1, 0), New: pods(2, 0, 0, 0)},
			partition.CloneSetDiff{Update: 2, UpdateUnavailable: 1}},
		{"a new pod that leaves is not one of those that are wanted", partition.CloneSet{Budget: b(5, 0, 1), KeptOld: 1, Old: pods(5, 0, 0, 0), New: pods(2, 0, 1, 0)},
			partition.CloneSetDiff{Down: 2, DownOld: 4, DeleteReady: 2, Update: 3, UpdateUnavailable: 3}},
		{"too many are unavailable to add more", partition.CloneSet{Budget: b(9, 0, 1), ScaleUnavailable: rollout.Int(3), New: pods(5, 0, 0, 2)}, partition.CloneSetDiff{Up: 4, UpLimit: 1}},
	} {
		require.Equal(t, c.want, c.set.Diff(), c.why)
	}
	require.Equal(t, b(9, 0, 2), partition.CloneSetBudget(9, &partition.RollingUpdate{MaxSurge: rollout.Int(2)}, true), "none while it is paused")
	require.Equal(t, b(9, 0, 1), partition.CloneSetBudget(9, nil, false))
}

// What may be unavailable, if it is set, is rounded up unless there is a surge: 4.5 of 9.
func TestCloneSetBudgetOfShare(t *testing.T) {
	half := partition.RollingUpdate{MaxUnavailable: rollout.Percent(50)}
	require.Equal(t, rollout.Budget{Replicas: 9, Unavailable: 5}, partition.CloneSetBudget(9, &half, false))
	half.MaxSurge = rollout.Int(1)
	require.Equal(t, rollout.Budget{Replicas: 9, Surge: 1, Unavailable: 4}, partition.CloneSetBudget(9, &half, false))
}

// What is waited for has its numbers: the first of these that is not reached.
func TestProgressWaiting(t *testing.T) {
	p := partition.Progress{Generation: 3, ObservedGeneration: 2, Partition: rollout.Percent(50), Replicas: 6, StatusReplicas: 5, UpdatedReplicas: 2}
	waiting := func() kplan.Hold {
		h, waits := p.Waiting()
		require.True(t, waits)
		return h
	}
	require.Equal(t, kplan.Hold{Reason: partition.ReasonNotObserved, Have: 2, Limit: 3}, waiting())
	p.ObservedGeneration = 3
	require.Equal(t, kplan.Hold{Reason: partition.ReasonSizeNotReached, Have: 5, Limit: 6}, waiting())
	p.StatusReplicas = 6
	require.Equal(t, kplan.Hold{Reason: partition.ReasonTooFewUpdated, Have: 2, Limit: 3}, waiting())
	p.UpdatedReplicas = 3
	_, waits := p.Waiting()
	require.False(t, waits)
}

// An annotation that is no strategy is named, with its text and the cause.
func TestStrategyThatIsNone(t *testing.T) {
	_, err := partition.ParseStrategy("{")
	var field *kplan.FieldError
	require.ErrorAs(t, err, &field)
	cause := field.Err
	require.Error(t, cause)
	require.Equal(t, &kplan.FieldError{Path: partition.AnnotationStrategy, Value: "{", Detail: "must be a strategy in JSON", Err: cause}, field)
}
