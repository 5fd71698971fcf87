// SPDX-License-Identifier: Apache-2.0

package podorder_test

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/podorder"
)

func TestDeletionCost(t *testing.T) {
	cost, valid := podorder.DeletionCost(nil)
	require.Zero(t, cost)
	require.True(t, valid, "a missing cost is not an invalid one")
	for _, c := range []struct {
		text  string
		cost  int32
		valid bool
		why   string
	}{
		{"0", 0, true, "zero"},
		{"-0", 0, true, "a minus makes everything valid that Go parses"},
		{"-00", 0, true, "leading zeros too"},
		{"-01", -1, true, "here as well"},
		{"1", 1, true, "a number"},
		{"-1", -1, true, "a negative number"},
		{"9", 9, true, "the largest digit"},
		{"10", 10, true, "a zero at the end"},
		{"2147483647", 2147483647, true, "the largest"},
		{"-2147483648", -2147483648, true, "the smallest"},
		{"", 0, false, "present and empty"},
		{"00", 0, false, "no leading zeros"},
		{"007", 0, false, "nor here"},
		{"+1", 0, false, "no plus"},
		{" 1", 0, false, "no blanks"},
		{"1 ", 0, false, "not at the end either"},
		{"1e3", 0, false, "no exponents"},
		{"1.0", 0, false, "no fractions"},
		{"0x10", 0, false, "no other bases"},
		{"1_000", 0, false, "no separators"},
		{"--1", 0, false, "one minus"},
		{"-", 0, false, "not alone"},
		{"2147483648", 0, false, "one more than the largest"},
		{"-2147483649", 0, false, "one less than the smallest"},
		{"١", 0, false, "no other digits"},
	} {
		t.Run(c.text, func(t *testing.T) {
			cost, valid := podorder.DeletionCost(map[string]string{"x": "9", podorder.AnnotationDeletionCost: c.text})
			require.Equal(t, c.cost, cost, c.why)
			require.Equal(t, c.valid, valid, c.why)
		})
	}
}

func FuzzDeletionCost(f *testing.F) {
	for _, s := range []string{"", "0", "-0", "00", "+1", "-2147483648", "2147483648", "1e3"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		cost, valid := podorder.DeletionCost(map[string]string{podorder.AnnotationDeletionCost: text})
		n, err := strconv.ParseInt(text, 10, 32)
		leading := text == "0" || (text != "" && strings.ContainsRune("-123456789", rune(text[0])))
		require.Equal(t, err == nil && leading, valid)
		if !valid {
			n = 0
		}
		require.Equal(t, int32(n), cost)
	})
}

func TestAvailable(t *testing.T) {
	second := time.Second
	for _, c := range []struct {
		name, why string
		ready     bool
		since     time.Time
		min       int32
		now       time.Time
		want      bool
	}{
		{"not ready", "nothing else matters", false, t0, 0, t0.Add(time.Hour), false},
		{"not ready, waiting", "whatever the times say", false, t0, 10, t0.Add(time.Hour), false},
		{"no wait", "ready is enough", true, t0, 0, t0, true},
		{"no wait, future", "even if it is not yet", true, t0.Add(second), 0, t0, true},
		{"no wait, unset", "even if nobody knows since when", true, time.Time{}, 0, t0, true},
		{"unset", "with a wait the time must be known", true, time.Time{}, 10, t0, false},
		{"before", "one nanosecond is missing", true, t0, 10, t0.Add(10*second - 1), false},
		{"boundary", "the boundary counts", true, t0, 10, t0.Add(10 * second), true},
		{"after", "and so does everything after", true, t0, 10, t0.Add(11 * second), true},
		{"negative", "a negative wait lies in the past", true, t0.Add(10 * second), -10, t0, true},
		{"negative, future", "but not that far", true, t0.Add(10*second + 1), -10, t0, false},
		{"negative, unset", "and not without a time", true, time.Time{}, -10, t0, false},
		{"longest", "68 years do not overflow", true, t0, 2147483647, t0.Add(2147483647*second - 1), false},
		{"longest, over", "not by a nanosecond", true, t0, 2147483647, t0.Add(2147483647 * second), true},
	} {
		t.Run(c.name, func(t *testing.T) {
			// Readiness looks at the conditions alone, not at the phase.
			p := podorder.Pod{Phase: podorder.Pending, Ready: c.ready, ReadySince: c.since}
			require.Equal(t, c.want, p.Available(c.min, c.now), c.why)
			at, ok := p.AvailableAt(c.min)
			require.Equal(t, c.ready && (c.min == 0 || !c.since.IsZero()), ok, c.why)
			if !ok {
				require.True(t, at.IsZero())
				return
			}
			require.Equal(t, c.since.Add(time.Duration(c.min)*second), at)
			if c.min != 0 {
				require.True(t, p.Available(c.min, at))
				require.False(t, p.Available(c.min, at.Add(-1)))
			}
		})
	}
}

func TestStates(t *testing.T) {
	for _, c := range []struct {
		phase                         podorder.Phase
		deleted                       bool
		finished, active, terminating bool
	}{
		{podorder.Running, false, false, true, false},
		{podorder.Running, true, false, false, true},
		{podorder.Pending, false, false, true, false},
		{podorder.Unknown, true, false, false, true},
		{"", false, false, true, false},
		{podorder.Succeeded, false, true, false, false},
		{podorder.Succeeded, true, true, false, false},
		{podorder.Failed, false, true, false, false},
		{podorder.Failed, true, true, false, false},
	} {
		p := podorder.Pod{Phase: c.phase}
		if c.deleted {
			p.DeletionTimestamp = t0
		}
		require.Equal(t, c.finished, p.Finished(), "%+v", c)
		require.Equal(t, c.active, p.Active(), "%+v", c)
		require.Equal(t, c.terminating, p.Terminating(), "%+v", c)
	}
}
