// SPDX-License-Identifier: Apache-2.0

package argo

// Runs are the analyses of an update and their progress. They are given: a plan starts
// none, and forgets runs that it no longer reads.
type Runs struct {
	// Step is the analysis, the experiment or the plugin of the current step.
	Step Run `json:"step,omitzero"`
	// Background is the analysis that goes on during all steps.
	Background Run `json:"background,omitzero"`
	// PrePromotion and PostPromotion are the analyses of a blue-green update.
	PrePromotion  Run `json:"prePromotion,omitzero"`
	PostPromotion Run `json:"postPromotion,omitzero"`
}

// A Run is the state of an analysis, an experiment or a plugin.
type Run struct {
	Phase   RunPhase `json:"phase,omitzero"` // "" if it has not begun
	Message string   `json:"message,omitzero"`
}

// A RunPhase is the phase of a [Run].
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

// A verdict is the effect of a run on an update.
type verdict struct {
	pause bool   // a user has to decide whether it goes on
	again bool   // another run is started
	abort string // why the update is aborted, "" if it is not
}

// verdict returns the effect of the run on an update. After an inconclusive run a user
// may have resumed the update: then another run is started.
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

// done reports whether a step with Other is over.
func (s Step) done(r Run) bool {
	return r.Phase == RunSuccessful || s.Other == StepHeaderRoute || s.Other == StepMirrorRoute
}
