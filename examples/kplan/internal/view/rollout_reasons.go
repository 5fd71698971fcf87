// SPDX-License-Identifier: Apache-2.0

package view

import (
	"fmt"
	"strings"

	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/examples/kplan/internal/timeline"
	"github.com/kplan-go/kplan/internal/sim"
	"github.com/kplan-go/kplan/rollout/batchrelease"
	"github.com/kplan-go/kplan/rollout/kruise"
	"github.com/kplan-go/kplan/selector"
)

// reasons returns, for each of the steps that are shown, what was done since the one before, and
// what is waited for behind it, each with why. What the end waits for is told elsewhere.
func (s RolloutSimulation) reasons(shown []int) [][]timeline.Occurrence {
	steps, list := s.Result.Steps, make([][]timeline.Occurrence, len(shown))
	n := 0
	for _, p := range s.Result.Passes {
		// What a pass does leads to the next step, unless that is later: then it has changed no number.
		for n+1 < len(shown) && shown[n] < p.Step && steps[shown[n+1]].Time <= p.Time {
			n++
		}
		list[n] = append(list[n], s.deeds(&p)...)
	}
	left, holds := s.Result.Passes, []selector.Hold[string]{}
	for n, i := range shown[:len(shown)-1] {
		for ; len(left) > 0 && left[0].Time <= steps[i].Time; left = left[1:] {
			if left[0].By == sim.RolloutController {
				holds = left[0].Holds
			}
		}
		if steps[shown[n+1]].Time == steps[i].Time {
			continue
		}
		for _, h := range holds {
			list[n] = append(list[n], waiting(rolloutHolds.whyNot(h.Reason, h.Have, h.Limit)))
		}
	}
	return list
}

func waiting(why string) timeline.Occurrence {
	return timeline.Occurrence{What: "waits", Why: why, Detail: true}
}

// deeds are the actions of a pass. Labels of pods, of which there may be many, are counted, and
// notes that a Deployment's planner keeps for itself are left out. Hashes are not those of a
// cluster here, so pods are told apart in words.
func (s RolloutSimulation) deeds(p *sim.RolloutPass) (list []timeline.Occurrence) {
	labels := int32(0)
	for _, a := range p.Actions {
		switch a := a.(type) {
		case batchrelease.LabelPod:
			if labels++; labels == 1 {
				list = append(list, timeline.Occurrence{Why: rolloutActions.why(string(a.Reason)), Detail: true})
			}
			list[len(list)-1].What = "label " + plural(labels, "pod")
		case kruise.SelectPods:
			what := rolloutPhrase(a)
			if a.Value != "" {
				what = fmt.Sprintf("service %s: select %s alone", a.Service, s.ofTemplate(a.Value))
			}
			list = append(list, timeline.Occurrence{What: what, Why: rolloutActions.why(string(a.Reason)), Detail: true})
		case batchrelease.PatchReplicaSet:
			a.Name = "of " + s.ofTemplate(a.Name)
			list = append(list, timeline.Occurrence{What: rolloutPhrase(a), Why: rolloutActions.why(string(a.Reason)), Detail: true})
		case deploy.Action:
			if what := short(a, s.ofTemplate); !strings.HasSuffix(what, ": annotate") {
				list = append(list, timeline.Occurrence{What: what, Why: deploymentActions.why(reason[deploy.Reason](a)), Detail: true})
			}
		default:
			what, _, _ := strings.Cut(rolloutPhrase(a), ": {") // without the patch, which is long
			list = append(list, timeline.Occurrence{What: what, Why: rolloutActions.why(reason[string](a)), Detail: true})
		}
	}
	return list
}

// ofTemplate says which pods those are whose ReplicaSet has this name, or which have this hash.
func (s RolloutSimulation) ofTemplate(name string) string {
	if strings.HasSuffix(name, s.Result.Template) {
		return "new pods"
	}
	return "old pods"
}
