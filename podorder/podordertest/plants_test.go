// SPDX-License-Identifier: Apache-2.0

package podordertest

import (
	"slices"
	"strconv"
	"testing"

	"pgregory.net/rapid"

	"github.com/kplan-go/kplan/internal/verify/properties"
	"github.com/kplan-go/kplan/podorder"
)

// plant is a bug in a chooser.
func plant(name, bug string, c Chooser) properties.DecisionPlant {
	return properties.DecisionPlant{Name: name, Bug: bug, Property: func(choice properties.Choice) func(*rapid.T) { return choose(c, choice) }}
}

// first chooses the first pods of the list.
func first(_ podorder.Order, pods []podorder.Pod, n int) (c podorder.Choice) {
	for i := range min(max(n, 0), len(pods)) {
		c.Victims = append(c.Victims, i)
	}
	return c
}

func ours(o podorder.Order, pods []podorder.Pod, n int) podorder.Choice {
	return o.Choose(pods, nil, n)
}

func plants() []properties.DecisionPlant {
	return []properties.DecisionPlant{
		plant("strict weak order", "every pod comes before every other", Chooser{Compare: func(podorder.Order, podorder.Pod, podorder.Pod) int { return -1 }}),
		plant("order of the input", "the first of the list go", Chooser{Choose: first}),
		plant("victims are a prefix", "an even number of pods is taken from the other end", Chooser{Choose: func(o podorder.Order, pods []podorder.Pod, n int) podorder.Choice {
			all := ours(o, pods, len(pods))
			if n%2 == 0 {
				slices.Reverse(all.Victims)
			}
			all.Victims = all.Victims[:min(max(n, 0), len(all.Victims))]
			return all
		}}),
		plant("order of the rules", "whether a pod is ready is not read", Chooser{Compare: func(o podorder.Order, a, b podorder.Pod) int {
			a.Ready, b.Ready = true, true
			return o.Compare(a, b)
		}, Choose: first}),
		plant("UID within an age bucket", "the youngest of a bucket goes first", Chooser{Sort: func(_ podorder.Order, pods []podorder.Pod) {
			slices.SortFunc(pods, func(a, b podorder.Pod) int { return b.ReadySince.Compare(a.ReadySince) })
		}}),
		plant("spread counts anew", "neighbours are counted once", Chooser{Choose: first}),
		plant("priorities and pause points", "a priority is not read", Chooser{Choose: func(o podorder.Order, pods []podorder.Pod, n int) podorder.Choice {
			o.Priority = ""
			return ours(o, pods, n)
		}}),
		plant("protected pods stay", "protected pods go", Chooser{Choose: func(o podorder.Order, pods []podorder.Pod, n int) podorder.Choice {
			o.Protected = nil
			return ours(o, pods, n)
		}}),
		plant("named pods go first", "the named pod stays", Chooser{Choose: first}),
		plant("spread is even", "a node is emptied", Chooser{Choose: first}),
		plant("stage dominance", "the last stage counts first", Chooser{Sort: func(o podorder.Order, pods []podorder.Pod) {
			slices.Reverse(o.Stages)
			o.Sort(pods)
		}}),
		{Name: "deletion cost parsing", Bug: "007 is 7", Property: func(choice properties.Choice) func(*rapid.T) {
			return parse(func(text string) (int32, bool) {
				n, err := strconv.ParseInt(text, 10, 32)
				return int32(n), err == nil
			}, choice)
		}},
	}
}

// Each check finds a planted bug, alone, within 2,000 cases.
func TestPlants(t *testing.T) { properties.FindPlants(t, plants(), choosing, costing) }
