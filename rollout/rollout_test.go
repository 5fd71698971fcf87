// SPDX-License-Identifier: Apache-2.0

package rollout_test

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/rollout"
)

var unset rollout.IntOrPercent

func parse(t require.TestingT, s string) rollout.IntOrPercent {
	v, err := rollout.Parse(s)
	require.NoError(t, err)
	return v
}

// The table of the strategy numbers: surge and unavailable as resolved, then
// unavailable capped and what must stay available.
func TestResolve(t *testing.T) {
	for _, c := range []struct {
		surge, unavailable string
		replicas           int32
		up, down           int32 // Fenceposts
		most, least        int32 // Budget.Unavailable, MinAvailable
		why                string
	}{
		{"25%", "25%", 1, 1, 0, 0, 1, "a surge of 0.25 is rounded up"},
		{"25%", "25%", 3, 1, 0, 0, 3, "0.75 pods are none when rounded down"},
		{"25%", "25%", 4, 1, 1, 1, 3, "no rounding needed"},
		{"25%", "25%", 10, 3, 2, 2, 8, "2.5 goes both ways"},
		{"25%", "25%", 0, 0, 1, 0, 0, "the fence of 1 holds for no replicas too, and is capped"},
		{"2", "1", 0, 2, 1, 0, 0, "an absolute surge does not depend on the replicas"},
		{"0%", "1%", 2, 0, 1, 1, 1, "both come out as 0, so that 1 may be unavailable"},
		{"1%", "0%", 2, 1, 0, 0, 2, "a surge is enough to move"},
		{"0", "0", 5, 0, 1, 1, 4, "nothing could ever move"},
		{"", "", 5, 0, 1, 1, 4, "unset counts as 0 here; the planners default it"},
		{"300%", "200%", 5, 15, 10, 5, 0, "a share may exceed 100%, unavailability may not exceed the replicas"},
		{"34%", "34%", 3, 2, 1, 1, 2, "1.02 goes both ways"},
		{"+5%", "-25%", 10, 1, -3, -3, 13, "signs are parsed; a negative limit is the planners' to reject"},
		{"-1", "0", 10, -1, 0, 0, 10, "a negative number is not clamped and not 0"},
		{"400%", "0", 1 << 30, 0, 0, 0, 1 << 30, "2^32 wraps around to 0, but is no 0 that needs the fence of 1"},
		{"100%", "0", math.MaxInt32, math.MaxInt32, 0, 0, math.MaxInt32, "the sum saturates"},
	} {
		t.Run(c.surge+" "+c.unavailable, func(t *testing.T) {
			require.NotEmpty(t, c.why)
			surge, unavailable := parse(t, c.surge), parse(t, c.unavailable)
			up, down := rollout.Fenceposts(c.replicas, surge, unavailable)
			require.Equal(t, [2]int32{c.up, c.down}, [2]int32{up, down}, c.why)
			b := rollout.Resolve(c.replicas, surge, unavailable)
			require.Equal(t, rollout.Budget{Replicas: c.replicas, Surge: c.up, Unavailable: c.most}, b, c.why)
			require.Equal(t, c.least, b.MinAvailable(), c.why)
			total := min(int64(c.replicas)+int64(c.up), math.MaxInt32)
			require.Equal(t, int32(total), b.MaxTotal(), c.why)
		})
	}
}

func TestBudgetSaturates(t *testing.T) {
	low := rollout.Budget{Replicas: math.MinInt32, Surge: -1, Unavailable: 1}
	require.Equal(t, int32(math.MinInt32), low.MaxTotal())
	require.Equal(t, int32(math.MinInt32), low.MinAvailable())
	high := rollout.Budget{Replicas: math.MaxInt32, Surge: 1, Unavailable: -1}
	require.Equal(t, int32(math.MaxInt32), high.MaxTotal())
	require.Equal(t, int32(math.MaxInt32), high.MinAvailable())
}

func TestOf(t *testing.T) {
	for _, c := range []struct {
		value    string
		total    int32
		down, up int32
		why      string
	}{
		{"", 10, 0, 0, "unset is 0"},
		{"3", 10, 3, 3, "an absolute number is itself"},
		{"3", 0, 3, 3, "whatever the total"},
		{"-3", 10, -3, -3, "and whatever the sign"},
		{"50%", 10, 5, 5, "a whole result needs no rounding"},
		{"1%", 1, 0, 1, "0.01"},
		{"99%", 1, 0, 1, "0.99"},
		{"100%", 7, 7, 7, "everything"},
		{"101%", 1, 1, 2, "1.01"},
		{"-25%", 10, -3, -2, "-2.5: down is away from 0"},
		{"25%", -10, -3, -2, "the same from a negative total"},
		{"-25%", -10, 2, 3, "and the product of two is positive"},
		{"0%", 10, 0, 0, "nothing"},
		{"100%", math.MaxInt32, math.MaxInt32, math.MaxInt32, "no overflow in between"},
		{"2147483647%", 100, math.MaxInt32, math.MaxInt32, "nor here"},
		{"300%", math.MaxInt32, 2147483645, 2147483645, "beyond int32 the result wraps: 6442450941 - 2^32"},
		{"200%", math.MinInt32, 0, 0, "-2^32 wraps to 0"},
	} {
		t.Run(c.value, func(t *testing.T) {
			require.NotEmpty(t, c.why)
			v := parse(t, c.value)
			require.Equal(t, c.down, v.Of(c.total), c.why)
			require.Equal(t, c.up, v.OfUp(c.total), c.why)
		})
	}
}

func TestParse(t *testing.T) {
	for _, c := range []struct {
		text string
		want rollout.IntOrPercent
		ok   bool
		why  string
	}{
		{"", unset, true, "unset"},
		{"0", rollout.Int(0), true, "0 is not unset"},
		{"3", rollout.Int(3), true, "a number"},
		{"25%", rollout.Percent(25), true, "a share"},
		{"0%", rollout.Percent(0), true, "0% is neither 0 nor unset"},
		{"+5%", rollout.Percent(5), true, "a sign is allowed"},
		{"-25%", rollout.Percent(-25), true, "so is a minus"},
		{"007", rollout.Int(7), true, "so are leading zeros"},
		{"2147483647", rollout.Int(math.MaxInt32), true, "the largest"},
		{"-2147483648%", rollout.Percent(math.MinInt32), true, "the smallest"},
		{"2147483648", unset, false, "one more"},
		{"2147483648%", unset, false, "one more percent"},
		{"%", unset, false, "no number"},
		{"25%%", unset, false, "one sign is enough"},
		{"%25", unset, false, "the sign is at the end"},
		{" 25%", unset, false, "no blanks"},
		{"25 %", unset, false, "anywhere"},
		{"2.5%", unset, false, "no fractions"},
		{"1e3", unset, false, "no exponents"},
		{"0x10", unset, false, "no other bases"},
		{"1_000", unset, false, "no separators"},
		{"--5%", unset, false, "one sign"},
		{"ten", unset, false, "no words"},
		{"२५%", unset, false, "no other digits"},
	} {
		t.Run(c.text, func(t *testing.T) {
			require.NotEmpty(t, c.why)
			got, err := rollout.Parse(c.text)
			require.Equal(t, c.want, got, c.why)
			require.Equal(t, c.ok, err == nil, c.why)
			if err != nil {
				requireFieldError(t, err, c.text)
			}
		})
	}
}

func requireFieldError(t *testing.T, err error, value any) {
	t.Helper()
	require.ErrorIs(t, err, kplan.ErrInvalid)
	var fe *kplan.FieldError
	require.ErrorAs(t, err, &fe)
	require.Equal(t, value, fe.Value)
	require.NotEmpty(t, fe.Detail)
}

func TestPredicates(t *testing.T) {
	require.True(t, unset.IsZero())
	require.False(t, rollout.Int(0).IsZero())
	require.False(t, rollout.Percent(0).IsZero())
	require.False(t, unset.IsNegative())
	require.False(t, rollout.Int(0).IsNegative())
	require.True(t, rollout.Int(-1).IsNegative())
	require.True(t, rollout.Percent(-1).IsNegative())

	all := []rollout.IntOrPercent{unset, rollout.Int(0), rollout.Percent(0), rollout.Int(1), rollout.Percent(1)}
	for i, v := range all {
		for j, w := range all {
			require.Equal(t, i == j, v.Equal(w), "%q and %q", v, w)
		}
	}
}

func TestUnmarshalJSON(t *testing.T) {
	for _, c := range []struct {
		text string
		want rollout.IntOrPercent
		why  string
	}{
		{`null`, unset, "null is unset"},
		{`0`, rollout.Int(0), "0 is not"},
		{`-7`, rollout.Int(-7), "any 32 bits"},
		{`"25%"`, rollout.Percent(25), "a share is a string"},
		{`"2\u0035%"`, rollout.Percent(25), "however it is written"},
	} {
		got := rollout.Int(99)
		require.NoError(t, json.Unmarshal([]byte(c.text), &got), c.why)
		require.Equal(t, c.want, got, c.why)
	}
	for _, c := range []struct {
		text  string
		value any
		why   string
	}{
		{`"5"`, "5", "a string without % is not a number in the API"},
		{`""`, "", "the empty string is neither"},
		{`"x%"`, "x%", "nor is this"},
		{`"2147483648%"`, "2147483648%", "does not fit"},
		{`2147483648`, "2147483648", "does not fit either"},
		{`1.5`, "1.5", "no fractions"},
		{`true`, "true", "no other types"},
		{`{}`, "{}", "none at all"},
		{``, "", "called by hand, without any JSON"},
		{`"25%`, `"25%`, "called by hand, with broken JSON"},
	} {
		got := rollout.Int(99)
		err := got.UnmarshalJSON([]byte(c.text))
		require.Error(t, err, c.why)
		requireFieldError(t, err, c.value)
		require.Equal(t, rollout.Int(99), got, "an error must leave the value alone")
	}
}

func TestMarshalJSON(t *testing.T) {
	type limits struct {
		A rollout.IntOrPercent `json:"a,omitzero"`
		B rollout.IntOrPercent `json:"b"`
		C rollout.IntOrPercent `json:"c"`
	}
	text, err := json.Marshal(limits{C: rollout.Percent(25)})
	require.NoError(t, err)
	require.JSONEq(t, `{"b": null, "c": "25%"}`, string(text))
	text, err = json.Marshal(limits{A: rollout.Int(0), B: rollout.Int(-3)})
	require.NoError(t, err)
	require.JSONEq(t, `{"a": 0, "b": -3, "c": null}`, string(text))
}

func anyValue(t *rapid.T, label string) rollout.IntOrPercent {
	n := rapid.OneOf(rapid.Int32Range(-3, 300), rapid.Int32()).Draw(t, label)
	return []rollout.IntOrPercent{unset, rollout.Int(n), rollout.Percent(n)}[rapid.IntRange(0, 2).Draw(t, label+" kind")]
}

// Property: text and JSON lead back to the value.
func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := anyValue(t, "v")
		if got := parse(t, v.String()); got != v {
			t.Fatalf("Parse(%q) is %q", v, got)
		}
		data, err := json.Marshal(v)
		require.NoError(t, err)
		w := rollout.Int(99)
		require.NoError(t, json.Unmarshal(data, &w))
		if diff := cmp.Diff(v, w); diff != "" {
			t.Fatalf("%s (-want +got):\n%s", data, diff)
		}
		b := rollout.Resolve(rapid.Int32().Draw(t, "replicas"), v, w)
		data, err = json.Marshal(b)
		require.NoError(t, err)
		var c rollout.Budget
		require.NoError(t, json.Unmarshal(data, &c))
		require.Equal(t, b, c)
	})
}

// Property: up to the limit that the package comment names, the integers agree
// with the floating-point formula of Kubernetes.
func TestFloatFormula(t *testing.T) {
	share := func(p, total int32, round func(float64) float64) int32 {
		return int32(int64(round(float64(p) * float64(total) / 100)))
	}
	rapid.Check(t, func(t *rapid.T) {
		total := rapid.OneOf(rapid.Int32Range(0, 1000), rapid.Int32()).Draw(t, "total")
		p := rapid.OneOf(rapid.Int32Range(-10, 400), rapid.Int32Range(-4_194_303, 4_194_303)).Draw(t, "p")
		v := rollout.Percent(p)
		if got, want := v.Of(total), share(p, total, math.Floor); got != want {
			t.Fatalf("%v of %d is %d, want %d", v, total, got, want)
		}
		if got, want := v.OfUp(total), share(p, total, math.Ceil); got != want {
			t.Fatalf("%v of %d, rounded up, is %d, want %d", v, total, got, want)
		}
	})
}

// Property: for limits that a planner accepts, a rolling update can always move
// and its bounds lie on both sides of the wanted number.
func TestBudgetBounds(t *testing.T) {
	limit := rapid.Custom(func(t *rapid.T) rollout.IntOrPercent {
		if rapid.Bool().Draw(t, "percent") {
			return rollout.Percent(rapid.Int32Range(0, 100).Draw(t, "p"))
		}
		return rollout.Int(rapid.Int32Range(0, math.MaxInt32).Draw(t, "n"))
	})
	rapid.Check(t, func(t *rapid.T) {
		replicas := rapid.OneOf(rapid.Int32Range(0, 20), rapid.Int32Range(0, math.MaxInt32)).Draw(t, "replicas")
		b := rollout.Resolve(replicas, limit.Draw(t, "surge"), limit.Draw(t, "unavailable"))
		if b.MinAvailable() < 0 || b.MinAvailable() > replicas || b.MaxTotal() < replicas {
			t.Fatalf("%d replicas: %v", replicas, b)
		}
		if replicas > 0 && b.Surge == 0 && b.Unavailable == 0 {
			t.Fatalf("%d replicas: nothing can move: %v", replicas, b)
		}
	})
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"", "3", "25%", "-1%", "+7", "2147483648", "%", "0x1", " 1"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		v, err := rollout.Parse(s)
		if err != nil {
			requireFieldError(t, err, s)
			require.True(t, v.IsZero())
			return
		}
		require.Equal(t, v, parse(t, v.String()))
		require.Equal(t, s == "", v.IsZero())
		require.Equal(t, strings.HasSuffix(s, "%"), strings.HasSuffix(v.String(), "%"))
	})
}

func FuzzUnmarshalJSON(f *testing.F) {
	for _, s := range []string{`3`, `"25%"`, `null`, `"5"`, `1e2`, `"`, `"\ud800%"`, `2147483648`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		v := rollout.Int(99)
		if err := v.UnmarshalJSON(data); err != nil {
			require.ErrorIs(t, err, kplan.ErrInvalid)
			require.Equal(t, rollout.Int(99), v)
			return
		}
		text, err := v.MarshalJSON()
		require.NoError(t, err)
		var w rollout.IntOrPercent
		require.NoError(t, w.UnmarshalJSON(text))
		require.Equal(t, v, w)
	})
}

func TestAllocations(t *testing.T) {
	surge, unavailable := rollout.Percent(25), rollout.Int(1)
	require.Zero(t, testing.AllocsPerRun(100, func() { rollout.Resolve(10, surge, unavailable) }))
}

func BenchmarkResolve(b *testing.B) {
	surge, unavailable := rollout.Percent(25), rollout.Percent(25)
	b.ReportAllocs()
	for b.Loop() {
		rollout.Resolve(10, surge, unavailable)
	}
}
