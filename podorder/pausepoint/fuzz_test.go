// SPDX-License-Identifier: Apache-2.0

package pausepoint_test

import (
	"testing"

	"github.com/kplan-go/kplan/internal/verify/purity"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/podorder/pausepoint"
	"github.com/stretchr/testify/require"
)

// FuzzParse: what cannot be read stops.
func FuzzParse(f *testing.F) {
	for _, text := range []string{"before", "after", "off", "", "maybe"} {
		f.Add(text)
	}
	known := map[string]pausepoint.Mode{"": pausepoint.Before, "true": pausepoint.Before, "before": pausepoint.Before,
		"after": pausepoint.After, "false": pausepoint.Never, "off": pausepoint.Never}
	f.Fuzz(func(t *testing.T, text string) {
		mode, valid := pausepoint.Parse(map[string]string{pausepoint.Annotation: text})
		want, ok := known[text]
		if !ok {
			want = pausepoint.Before
		}
		require.Equal(t, ok, valid)
		require.Equal(t, want, mode)
	})
}

// A pausing is what [Decide] looks at.
type pausing struct {
	Pods  []podorder.Pod         `json:"pods"`
	Downs []pausepoint.ScaleDown `json:"downs"`
	State pausepoint.State       `json:"state"`
}

// FuzzDecide: no more than is asked for is deleted, and nothing is paused twice.
func FuzzDecide(f *testing.F) {
	seed := func(points map[int]string, token string, paused bool) pausing {
		return pausing{rolloutPods(points), []pausepoint.ScaleDown{{Name: "a", Pods: []int{0, 1, 2}, N: 2, Cause: pausepoint.CauseRollout}, {Name: "b", Pods: []int{3, 4}, N: 1, Cause: pausepoint.CauseScale}},
			pausepoint.State{Name: "web", UID: "w", Revision: 7, Token: token, Paused: paused}}
	}
	purity.Fuzz(f, nil, func(p pausing) (pausepoint.Plan, error) {
		plan := pausepoint.Decide(podorder.Order{Chain: podorder.Legacy, Now: t0}, p.Pods, p.Downs, p.State)
		purity.Must(len(plan.Delete) == len(p.Downs), "%d of %d scale-downs", len(plan.Delete), len(p.Downs))
		for i, n := range plan.Delete {
			purity.Must(n >= 0 && n <= max(0, p.Downs[i].N), "%d deleted of %d", n, p.Downs[i].N)
		}
		if plan.Pause != nil {
			token, ok := pausepoint.ParseToken(plan.Pause.Token)
			purity.Must(!p.State.Paused && ok && token.Revision == p.State.Revision, "pause %v of %+v", plan.Pause, p.State)
		}
		return plan, nil
	}, seed(nil, "", false), seed(map[int]string{2: "before", 4: "after"}, "", false), seed(map[int]string{1: "before", 2: "after"}, "7;b:p1", true), seed(map[int]string{1: "x"}, "7;b:", false))
}

func FuzzParseToken(f *testing.F) {
	for _, s := range []string{"", "7;b:u1,a:u2", "7;", "-1;a:x"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		token, ok := pausepoint.ParseToken(text)
		if !ok {
			return
		}
		back, ok := pausepoint.ParseToken(token.String())
		require.True(t, ok)
		require.Equal(t, token, back)
	})
}
