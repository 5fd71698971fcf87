// SPDX-License-Identifier: Apache-2.0

package podorder_test

import (
	"testing"

	"github.com/kplan-go/kplan/internal/purity"
	"github.com/kplan-go/kplan/podorder"
)

// A choosing is pods of which some are to go.
type choosing struct {
	Pods []podorder.Pod `json:"pods"`
	N    int            `json:"n"`
}

// FuzzExplain: each victim is explained, and the first pod that stays.
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
		list := o.Explain(c.Pods, all, choice)
		purity.Must(len(list) >= len(choice.Victims), "%d explanations of %d victims", len(list), len(choice.Victims))
		return list, nil
	}, choosing{same, 2}, choosing{same, 5}, choosing{nil, 1})
}
