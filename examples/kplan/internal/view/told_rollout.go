// SPDX-License-Identifier: Apache-2.0

package view

import (
	"fmt"
	"strings"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/examples/kplan/internal/terminal"
	"github.com/kplan-go/kplan/examples/kplan/internal/timeline"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/batchrelease"
	"github.com/kplan-go/kplan/rollout/kruise"
	"github.com/kplan-go/kplan/rollout/sim/record"
	"github.com/kplan-go/kplan/rollout/workload"
)

// Releases is the [Telling] of a Rollout of OpenKruise.
type Releases struct {
	Rollout  kruise.Rollout
	Replicas int32
	Budget   rollout.Budget // of the workload; only the style Partition respects it
}

var _ Telling = Releases{}

func (Releases) subject(namespace, name string) Subject { return kruiseRollout(namespace, name) }

func (Releases) original() string { return ofOpenKruise }

func (r Releases) head(*Simulation) string {
	steps := 0
	if s := r.Rollout.Strategy(); s != nil {
		steps = len(s.Steps)
	}
	ref := &r.Rollout.WorkloadRef
	return fmt.Sprintf("of %s %s, style %s, %s, %s", ref.Kind, ref.Name, r.Rollout.Style(), count(steps, "step", "steps"), plural(r.Replicas, "replica"))
}

func (Releases) legend(w *terminal.Writer, _ *Simulation) {
	w.Printf("OLD and NEW: pods ready/wanted.\n")
}

// limits returns the limits of the style Partition. The other styles add all new pods to the old
// ones.
func (r Releases) limits(*Simulation) (most, least *int32) {
	if r.Rollout.Style() != workload.Partition {
		return nil, nil
	}
	return new(r.Budget.MaxTotal()), new(r.Budget.MinAvailable())
}

func (Releases) columns(*Simulation) []column { return oldAndNew() }

// does lists the actions of a plan. It counts labels of pods, which may be many, and leaves out
// annotations for the internal use of the Deployment controller.
func (r Releases) does(s *Simulation, p *record.Step) (list []timeline.Occurrence) {
	told := func(what, why string) {
		list = append(list, timeline.Occurrence{What: what, Why: why, Detail: true})
	}
	template := func(name string) string { return ofTemplate(&p.Sizes, name) }
	switch plan := p.Plan.(type) {
	case deploy.Plan:
		for _, a := range plan.Actions {
			if what := short(a, template); !strings.HasSuffix(what, ": annotate") {
				told(what, deploymentActions.why(reasonOf(a)))
			}
		}
	case daemonset.Plan:
		return DaemonSets{}.does(s, p)
	case kruise.Plan:
		for _, a := range plan.Actions {
			what, _, _ := strings.Cut(rolloutPhrase(a), ": {") // without the patch, which is long
			if pinned, ok := a.(kruise.SelectPods); ok && pinned.Value != "" {
				what = fmt.Sprintf("service %s: select %s alone", pinned.Service, template(pinned.Value))
			}
			told(what, rolloutActions.why(reasonOf(a)))
		}
	case batchrelease.Plan:
		r.batch(&plan, template, told)
	}
	return list
}

func (Releases) batch(plan *batchrelease.Plan, template func(string) string, told func(what, why string)) {
	labels, why := int32(0), ""
	for _, action := range plan.Actions {
		switch a := action.(type) {
		case batchrelease.LabelPod:
			labels, why = labels+1, rolloutActions.why(a.Reason)
			continue
		case batchrelease.PatchReplicaSet:
			a.Name = "of " + template(a.Name)
			action = a
		}
		what, _, _ := strings.Cut(rolloutPhrase(action), ": {")
		told(what, rolloutActions.why(reasonOf(action)))
	}
	if labels > 0 {
		told("label "+plural(labels, "pod"), why)
	}
}

// ofTemplate returns the words for the pods with a ReplicaSet of this name or with this template
// hash.
func ofTemplate(z *record.Sizes, name string) string {
	for i := range z.Parts {
		if p := &z.Parts[i]; p.New && (p.Name == name || workload.LastPart(p.Name) == workload.LastPart(name)) {
			return "new pods"
		}
	}
	return "old pods"
}

func (Releases) waits(_ *Simulation, p *record.Step) (lines []timeline.Occurrence) {
	plan, ok := p.Plan.(kruise.Plan)
	if !ok {
		return nil
	}
	for _, h := range plan.Holds {
		lines = append(lines, timeline.Occurrence{
			What: "waits", Why: rolloutHolds.whyNot(h.Reason, h.Have, h.Limit), More: help(rolloutHolds.advice(h.Reason)), Detail: true,
		})
	}
	return lines
}

// stage returns the number of the step and its state, or the phase.
func (Releases) stage(z *record.Sizes) string {
	if z.Step > 0 {
		return fmt.Sprintf("%d %s", z.Step, z.State)
	}
	return z.Phase
}

func (r Releases) rests(s *Simulation) string {
	text := "the release has not finished" + s.whyEnded()
	if s.end().Step > 0 {
		text += fmt.Sprintf(", in step %d %s", s.end().Step, s.end().State)
	}
	for _, line := range r.waits(s, s.end()) {
		return text + ": " + line.Why
	}
	return text
}
