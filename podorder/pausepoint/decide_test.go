// SPDX-License-Identifier: Apache-2.0

package pausepoint_test

import (
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/internal/verify/random"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/podorder/pausepoint"
)

func TestParsePausePoint(t *testing.T) {
	mode, valid := pausepoint.Parse(nil)
	require.Equal(t, []any{pausepoint.Never, true}, []any{mode, valid}, "no annotation, no point")
	for _, c := range []struct {
		text string
		mode pausepoint.Mode
		ok   bool
	}{
		{"before", pausepoint.Before, true}, {"true", pausepoint.Before, true}, {"", pausepoint.Before, true},
		{"after", pausepoint.After, true}, {"false", pausepoint.Never, true}, {"off", pausepoint.Never, true},
		{"After", pausepoint.Before, false}, {"no", pausepoint.Before, false}, {" after", pausepoint.Before, false},
	} {
		mode, valid := pausepoint.Parse(map[string]string{pausepoint.Annotation: c.text})
		require.Equal(t, []any{c.mode, c.ok}, []any{mode, valid}, "%q: what cannot be read is a stop sign", c.text)
	}
}

func TestPauseToken(t *testing.T) {
	for _, c := range []struct {
		text, why string
		want      pausepoint.Token
	}{
		{"7;b:u1", "one entry", pausepoint.Token{Revision: 7, Entries: []pausepoint.Entry{{Mode: pausepoint.Before, UID: "u1"}}}},
		{"0;b:u1,a:u:2", "two entries, and a colon in a UID", pausepoint.Token{Entries: []pausepoint.Entry{
			{Mode: pausepoint.Before, UID: "u1"}, {Mode: pausepoint.After, UID: "u:2"}}}},
	} {
		got, ok := pausepoint.ParseToken(c.text)
		require.True(t, ok, c.why)
		require.Equal(t, c.want, got, c.why)
		require.Equal(t, c.text, got.String(), c.why)
	}
	for _, text := range []string{"", "7", "7;", ";b:u", "x;b:u", "7;c:u", "7;b", "7;b:", "7;b:u,", "7;,b:u", "7;b:u;b:v", "7; b:u"} {
		_, ok := pausepoint.ParseToken(text)
		require.False(t, ok, "%q is no token", text)
	}
}

// rolloutPods are p1 to p5 in deletion order; the points are given by their numbers.
func rolloutPods(points map[int]string) []podorder.Pod {
	pods := make([]podorder.Pod, 5)
	for i := range pods {
		uid := "p" + string(rune('1'+i))
		pods[i] = running(uid, t0)
		pods[i].Name = uid
		if text, ok := points[i+1]; ok {
			pods[i].Annotations = map[string]string{pausepoint.Annotation: text}
		}
	}
	return pods
}

func TestDecide(t *testing.T) {
	rollout := pausepoint.CauseRollout
	for _, c := range []struct {
		name, why string
		points    map[int]string
		gone      int // the first pods that are deleted already
		n         int
		cause     pausepoint.Cause
		paused    bool
		token     string
		ready     bool
		want      int
		pause     string
		warnings  string
	}{
		{name: "pass 1", why: "p1 and p2 go, and p3 stops the rollout", points: map[int]string{3: "before"}, n: 4, cause: rollout, want: 2, pause: "7;b:p3"},
		{name: "paused", why: "nothing goes while it waits", points: map[int]string{3: "before"}, gone: 2, n: 3, cause: rollout, paused: true, token: "7;b:p3", want: 0},
		{name: "resumed", why: "the resume acknowledges p3", points: map[int]string{3: "before"}, gone: 2, n: 3, cause: rollout, token: "7;b:p3", want: 3},
		{name: "after, pass 1", why: "p3 itself waits for the pause to be seen", points: map[int]string{3: "after"}, n: 4, cause: rollout, want: 2, pause: "7;a:p3"},
		{name: "after, paused", why: "now p3 goes", points: map[int]string{3: "after"}, gone: 2, n: 3, cause: rollout, paused: true, token: "7;a:p3", want: 1},
		{name: "after, gone", why: "and nothing else until the resume", points: map[int]string{3: "after"}, gone: 3, n: 2, cause: rollout, paused: true, token: "7;a:p3", want: 0},
		{name: "after, resumed", why: "then the rest", points: map[int]string{3: "after"}, gone: 3, n: 2, cause: rollout, token: "7;a:p3", want: 2},
		{name: "nothing", why: "nothing is asked for", points: map[int]string{1: "before"}, n: 0, cause: rollout, want: 0},
		{name: "negative", why: "or less than nothing", points: map[int]string{1: "before"}, n: -3, cause: rollout, want: 0},
		{name: "no points", why: "all may go", n: 5, cause: rollout, want: 5},
		{name: "no points, paused by hand", why: "a pause without an entry holds nothing back here", n: 2, cause: rollout, paused: true, want: 2},
		{name: "not reached", why: "a point exactly behind the last victim does nothing", points: map[int]string{3: "before"}, n: 2, cause: rollout, want: 2},
		{name: "all of them", why: "with points the list is sorted even if all are to go", points: map[int]string{5: "before"}, n: 9, cause: rollout, want: 4, pause: "7;b:p5"},
		{name: "off", why: "off is no point", points: map[int]string{1: "off", 2: "false"}, n: 3, cause: rollout, want: 3},
		{name: "unreadable", why: "what cannot be read stops, and says so", points: map[int]string{2: "maybe"}, n: 3, cause: rollout, want: 1, pause: "7;b:p2",
			warnings: "pause point on p2: Unreadable (maybe)"},
		{name: "scale", why: "a scale-down is no rollout", points: map[int]string{1: "before"}, n: 3, cause: pausepoint.CauseScale, want: 3, warnings: "pause point on p1: Inert (Scale)"},
		{name: "recreate", why: "nor is Recreate", points: map[int]string{1: "before"}, n: 5, cause: pausepoint.CauseRecreate, want: 5, warnings: "pause point on p1: Inert (Recreate)"},
		{name: "scale while waiting", why: "autoscaling may delete the point", points: map[int]string{1: "before"}, n: 1, cause: pausepoint.CauseScale, paused: true, token: "7;b:p1", want: 1,
			warnings: "pause point on p1: Inert (Scale)"},
		{name: "ignore", why: "the option ignores points on pods that are not ready", points: map[int]string{1: "before"}, n: 1, cause: rollout, ready: true, want: 1,
			warnings: "pause point on p1: NotReady (before)"},
		{name: "other revision", why: "a token of another rollout is void", points: map[int]string{1: "before"}, n: 1, cause: rollout, token: "6;b:p1", want: 0, pause: "7;b:p1"},
		{name: "unreadable token", why: "so is one that cannot be read", points: map[int]string{1: "before"}, n: 1, cause: rollout, token: "7;b:", want: 0, pause: "7;b:p1"},
		{name: "paused by hand at a point", why: "the point fires after the resume", points: map[int]string{2: "before"}, n: 3, cause: rollout, paused: true, want: 1},
		{name: "acknowledged before", why: "only the last entry waits", points: map[int]string{1: "before", 3: "before"}, n: 4, cause: rollout, paused: true, token: "7;b:p1,b:p3", want: 2},
		{name: "another point ahead", why: "it fires after the resume", points: map[int]string{1: "after", 3: "before"}, n: 4, cause: rollout, paused: true, token: "7;b:p3", want: 0},
		{name: "entries", why: "entries of pods that are gone are dropped", points: map[int]string{1: "before", 3: "before"}, n: 4, cause: rollout, token: "7;b:gone,b:p1", want: 2, pause: "7;b:p1,b:p3"},
	} {
		t.Run(c.name, func(t *testing.T) {
			require.NotEmpty(t, c.why)
			pods := rolloutPods(c.points)[c.gone:]
			if c.ready {
				pods[0].Ready = false
			}
			state := pausepoint.State{Name: "web", UID: "w", ResourceVersion: "12", Paused: c.paused, Token: c.token, Revision: 7, IgnoreUnready: c.ready}
			before := append([]podorder.Pod(nil), pods...)
			order := podorder.Order{Chain: podorder.Legacy}
			got := pausepoint.Decide(order, pods, []pausepoint.ScaleDown{{Name: "web-1", N: c.n, Cause: c.cause}}, state)
			require.Equal(t, []int{c.want}, got.Delete, c.why)
			var warnings []string
			for _, w := range got.Warnings {
				warnings = append(warnings, w.String())
			}
			require.Equal(t, c.warnings, strings.Join(warnings, "; "), c.why)
			if c.pause == "" {
				require.Nil(t, got.Pause, c.why)
			} else {
				require.Equal(t, c.pause, got.Pause.Token, c.why)
				require.Equal(t, []string{"web", "w", "12"}, []string{got.Pause.Name, got.Pause.UID, got.Pause.ResourceVersion})
				token, _ := pausepoint.ParseToken(got.Pause.Token)
				require.Equal(t, token.Entries[len(token.Entries)-1], pausepoint.Entry{Mode: got.Pause.Mode, UID: got.Pause.Pod})
				require.Equal(t, "Paused deployment web "+string(got.Pause.Mode)+" deleting pod "+got.Pause.Pod, got.Pause.String())
			}
			require.Empty(t, gocmp.Diff(before, pods), "the pods are not changed")
		})
	}
}

// TestDecideBounds: numbers that no pod has are ignored, and of a ReplicaSet that
// loses nothing there is nothing to warn.
func TestDecideBounds(t *testing.T) {
	pods := rolloutPods(map[int]string{1: "maybe"})
	order := podorder.Order{Chain: podorder.Legacy}
	got := pausepoint.Decide(order, pods, []pausepoint.ScaleDown{
		{Name: "web-1", N: 1, Pods: []int{-1, 1, len(pods)}, Cause: pausepoint.CauseRollout},
		{Name: "web-2", N: 0, Pods: []int{0}, Cause: pausepoint.CauseRollout},
	}, pausepoint.State{Name: "web", UID: "w", Revision: 7})
	require.Equal(t, []int{1, 0}, got.Delete)
	require.Empty(t, got.Warnings)
}

// TestDecideOfSeveral: after the first pause every later ReplicaSet keeps
// its pods; a scale-down among them is not touched.
func TestDecideOfSeveral(t *testing.T) {
	pods := rolloutPods(map[int]string{2: "before", 4: "before"})
	downs := func(causes ...pausepoint.Cause) []pausepoint.ScaleDown {
		return []pausepoint.ScaleDown{{Pods: []int{0, 1}, N: 2, Cause: causes[0]}, {Pods: []int{2, 3}, N: 2, Cause: causes[1]}, {Pods: []int{4, -1, 99}, N: 1, Cause: causes[2]}}
	}
	order := podorder.Order{Chain: podorder.Legacy}
	r, s := pausepoint.CauseRollout, pausepoint.CauseScale
	for _, c := range []struct {
		why   string
		downs []pausepoint.ScaleDown
		state pausepoint.State
		want  []int
		token string
	}{
		{"the second point has to wait", downs(r, r, r), pausepoint.State{}, []int{1, 0, 0}, "0;b:p2"},
		{"a scale-down goes on", downs(r, s, r), pausepoint.State{}, []int{1, 2, 0}, "0;b:p2"},
		{"a point in the second", downs(s, r, r), pausepoint.State{}, []int{2, 1, 0}, "0;b:p4"},
		{"while one waits, the others wait too", downs(r, r, r), pausepoint.State{Paused: true, Token: "0;b:p2"}, []int{1, 0, 0}, ""},
		{"and while the second waits", downs(r, r, r), pausepoint.State{Paused: true, Token: "0;b:p2,b:p4"}, []int{0, 1, 0}, ""},
		{"all acknowledged", downs(r, r, r), pausepoint.State{Token: "0;b:p2,b:p4"}, []int{2, 2, 1}, ""},
	} {
		got := pausepoint.Decide(order, pods, c.downs, c.state)
		require.Equal(t, c.want, got.Delete, c.why)
		token := ""
		if got.Pause != nil {
			token = got.Pause.Token
		}
		require.Equal(t, c.token, token, c.why)
	}
}

func TestPauseWithoutUID(t *testing.T) {
	pods := rolloutPods(map[int]string{1: "before", 2: "before"})
	pods[0].UID, pods[1].UID = "", "a,b"
	got := pausepoint.Decide(podorder.Order{Chain: podorder.Legacy}, pods, []pausepoint.ScaleDown{{N: 5, Cause: pausepoint.CauseRollout}}, pausepoint.State{})
	require.Equal(t, []int{5}, got.Delete, "a pause that cannot be remembered would never end")
	require.Nil(t, got.Pause)
	require.Equal(t, []pausepoint.Warning{{Pod: "p1", Reason: pausepoint.NoUID}, {Pod: "p2", Reason: pausepoint.NoUID, Value: "a,b"}}, got.Warnings)
}

// Property: a pause decision is monotone in n, never exceeds it, is the same again,
// and keeps every point that is not acknowledged.
func TestPauseProperties(t *testing.T) {
	random.Check(t, func(t random.T) {
		pods := random.AlikePods(t, random.Between(t, "n", 1, 8))
		for i := range pods {
			if random.Between(t, "point", 0, 2) == 0 {
				pods[i].Annotations = map[string]string{pausepoint.Annotation: random.OneOf[string](t, "mode", "before", "after", "off", "x")}
			}
		}
		o := anyOrder(t)
		state := pausepoint.State{Paused: random.Bool(t, "paused"), Revision: 1}
		if random.Bool(t, "token") {
			state.Token = random.OneOf[string](t, "text", "1;b:000", "1;a:001,b:002", "1;b:nobody", "2;b:000")
		}
		last := 0
		for n := range len(pods) + 2 {
			downs := []pausepoint.ScaleDown{{N: n, Cause: pausepoint.CauseRollout}}
			plan := pausepoint.Decide(o, pods, downs, state)
			k := plan.Delete[0]
			if k > n || k < last {
				t.Fatalf("%d of %d, and %d of one less", k, n, last)
			}
			last = k
			if diff := gocmp.Diff(plan, pausepoint.Decide(o, pods, downs, state)); diff != "" {
				t.Fatal(diff)
			}
			if plan.Pause != nil && state.Paused {
				t.Fatal("paused twice")
			}
		}
	})
}
