package podorder_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/internal/purity"
	"github.com/kplan-go/kplan/podorder"
)

// FuzzParsePausePoint: what cannot be read stops.
func FuzzParsePausePoint(f *testing.F) {
	for _, text := range []string{"before", "after", "off", "", "maybe"} {
		f.Add(text)
	}
	known := map[string]podorder.PauseMode{"": podorder.PauseBefore, "true": podorder.PauseBefore, "before": podorder.PauseBefore,
		"after": podorder.PauseAfter, "false": podorder.PauseNever, "off": podorder.PauseNever}
	f.Fuzz(func(t *testing.T, text string) {
		mode, valid := podorder.ParsePausePoint(map[string]string{podorder.AnnotationPausePoint: text})
		want, ok := known[text]
		if !ok {
			want = podorder.PauseBefore
		}
		require.Equal(t, ok, valid)
		require.Equal(t, want, mode)
	})
}

// A pausing is what [podorder.Order.PlanPause] looks at.
type pausing struct {
	Pods  []podorder.Pod       `json:"pods"`
	Downs []podorder.ScaleDown `json:"downs"`
	State podorder.PauseState  `json:"state"`
}

// FuzzPlanPause: no more than is asked for is deleted, and nothing is paused twice.
func FuzzPlanPause(f *testing.F) {
	seed := func(points map[int]string, token string, paused bool) pausing {
		return pausing{rolloutPods(points), []podorder.ScaleDown{{Name: "a", Pods: []int{0, 1, 2}, N: 2, Cause: podorder.CauseRollout}, {Name: "b", Pods: []int{3, 4}, N: 1, Cause: podorder.CauseScale}},
			podorder.PauseState{Name: "web", UID: "w", Revision: 7, Token: token, Paused: paused}}
	}
	purity.Fuzz(f, nil, func(p pausing) (podorder.PausePlan, error) {
		plan := podorder.Order{Chain: podorder.Legacy, Now: t0}.PlanPause(p.Pods, p.Downs, p.State)
		purity.Must(len(plan.Delete) == len(p.Downs), "%d of %d scale-downs", len(plan.Delete), len(p.Downs))
		for i, n := range plan.Delete {
			purity.Must(n >= 0 && n <= max(0, p.Downs[i].N), "%d deleted of %d", n, p.Downs[i].N)
		}
		if plan.Pause != nil {
			token, ok := podorder.ParsePauseToken(plan.Pause.Token)
			purity.Must(!p.State.Paused && ok && token.Revision == p.State.Revision, "pause %v of %+v", plan.Pause, p.State)
		}
		return plan, nil
	}, seed(nil, "", false), seed(map[int]string{2: "before", 4: "after"}, "", false), seed(map[int]string{1: "before", 2: "after"}, "7;b:p1", true), seed(map[int]string{1: "x"}, "7;b:", false))
}

// A choosing is pods of which some are to go.
type choosing struct {
	Pods []podorder.Pod `json:"pods"`
	N    int            `json:"n"`
}

// FuzzExplain: each victim is explained, and the first pod that stays.
func FuzzExplain(f *testing.F) {
	purity.Fuzz(f, nil, func(c choosing) ([]podorder.Explanation, error) {
		var all []int
		for i := range c.Pods {
			all = append(all, i)
		}
		o := podorder.New(t0, podorder.Neighbours{"n1": 1})
		choice := o.Choose(c.Pods, all, c.N)
		purity.Must(len(choice.Victims)+choice.Missing == min(max(0, c.N), len(all)) || choice.Missing > 0, "%d victims of %d pods, of %d that were to be", len(choice.Victims), len(all), c.N)
		list := o.Explain(c.Pods, all, choice)
		purity.Must(len(list) >= len(choice.Victims), "%d explanations of %d victims", len(list), len(choice.Victims))
		return list, nil
	}, choosing{rolloutPods(nil), 2}, choosing{rolloutPods(map[int]string{2: "before"}), 5}, choosing{nil, 1})
}
