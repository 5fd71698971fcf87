// SPDX-License-Identifier: Apache-2.0

package argo

// Runs are the analyses of an update, as far as they have come. They are given: a plan
// starts none, and forgets those that are no longer looked at.
type Runs struct {
	// Step is the analysis, the experiment or the plugin of the current step.
	Step Run `json:"step,omitzero"`
	// Background is the analysis that goes on during all steps.
	Background Run `json:"background,omitzero"`
	// PrePromotion and PostPromotion are those of a blue-green update.
	PrePromotion  Run `json:"prePromotion,omitzero"`
	PostPromotion Run `json:"postPromotion,omitzero"`
}

// A Run is how an analysis, an experiment or a plugin went.
type Run struct {
	Phase   RunPhase `json:"phase,omitzero"` // "" if it has not begun
	Message string   `json:"message,omitzero"`
}

// A RunPhase is how far a [Run] is.
type RunPhase string

// The phases of a [Run].
const (
	RunPending      RunPhase = "Pending"
	RunRunning      RunPhase = "Running"
	RunSuccessful   RunPhase = "Successful"
	RunFailed       RunPhase = "Failed"
	RunError        RunPhase = "Error"
	RunInconclusive RunPhase = "Inconclusive"
)

// The kinds of [Step.Other].
const (
	StepAnalysis    = "analysis"
	StepExperiment  = "experiment"
	StepPlugin      = "plugin"
	StepHeaderRoute = "setHeaderRoute" // over at once
	StepMirrorRoute = "setMirrorRoute" // likewise
)

// A verdict is what a run does to an update.
type verdict struct {
	pause bool   // nobody knows whether it may go on
	again bool   // another run is started
	abort string // why the update is given up, "" if it is not
}

// verdict returns what the run does to an update. A person may have resumed the update
// after a run without a result: then there is to be another one.
func (r Run) verdict(what string, resumed bool) verdict {
	switch {
	case r.Phase == RunInconclusive:
		return verdict{pause: !resumed, again: resumed}
	case r.Phase != RunFailed && r.Phase != RunError:
		return verdict{}
	case r.Message != "":
		what += ": " + r.Message
	}
	return verdict{abort: what}
}

// done reports whether a step of another kind is over.
func (s Step) done(r Run) bool {
	return r.Phase == RunSuccessful || s.Other == StepHeaderRoute || s.Other == StepMirrorRoute
}
