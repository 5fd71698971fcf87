// SPDX-License-Identifier: Apache-2.0

package podorder_test

import (
	"slices"
	"testing"

	"github.com/kplan-go/kplan/internal/verify/purity"
	"github.com/kplan-go/kplan/podorder"
)

// A choosing is pods of which some are to go.
type choosing struct {
	Pods []podorder.Pod `json:"pods"`
	N    int            `json:"n"`
}

// FuzzExplain: each victim is explained, and the first pod that stays. They are the same if the pods
// stay where they are.
func FuzzExplain(f *testing.F) {
	same := []podorder.Pod{running("p1", t0), running("p2", t0), running("p3", t0), running("p4", t0), running("p5", t0)}
	purity.Fuzz(f, nil, func(c choosing) ([]podorder.Explanation, error) {
		var all []int
		for i := range c.Pods {
			all = append(all, i)
		}
		o := podorder.New(t0, podorder.Neighbours{"n1": 1})
		choice := o.Choose(c.Pods, all, c.N)
		purity.Must(len(choice.Victims)+choice.Missing == min(max(0, c.N), len(all)) || choice.Missing > 0, "%d victims of %d pods, of %d that were to be", len(choice.Victims), len(all), c.N)
		where := choiceWhere(o, c)
		purity.Must(slices.Equal(choice.Victims, where.Victims), "other victims where the pods are: %v, not %v", where.Victims, choice.Victims)
		list := o.Explain(c.Pods, all, choice)
		purity.Must(len(list) >= len(choice.Victims), "%d explanations of %d victims", len(list), len(choice.Victims))
		return list, nil
	}, choosing{same, 2}, choosing{same, 5}, choosing{nil, 1})
}

// choiceWhere chooses pods that stay where they are.
func choiceWhere(o podorder.Order, c choosing) podorder.Choice {
	d, ok := o.Draft(len(c.Pods))
	purity.Must(ok, "no draft of %+v", o)
	where := make([]*podorder.Pod, len(c.Pods))
	for i := range c.Pods {
		where[i] = &c.Pods[i]
		d.Add(where[i], true, false)
	}
	return d.ChooseFrom(where, c.N)
}
