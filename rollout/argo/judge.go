// SPDX-License-Identifier: Apache-2.0

package argo

import "slices"

// judged are the runs of an update, and what they do to it.
type judged struct {
	runs   Runs
	pauses []string // the reasons of pauses that begin
	abort  bool     // the update is given up
	why    string   // and why
}

// and returns what is judged with one verdict more.
func (j judged) and(v verdict) judged {
	if v.pause {
		j.pauses = append(slices.Clip(j.pauses), PauseInconclusive)
	}
	if v.abort != "" {
		j.abort, j.why = true, v.abort
	}
	return j
}

// judge takes a run into account. It is empty afterwards if there is to be another one.
func (in *input) judge(run Run, what string) (Run, verdict) {
	resumed := in.read.ControllerPause && in.paused(PauseStep) == nil && in.paused(PauseBlueGreen) == nil
	v := run.verdict(what, resumed)
	if v.again {
		run = Run{}
	}
	return run, v
}

// unjudged reports whether no analysis is looked at.
func (c *counts) unjudged() bool {
	t := c.turn()
	return c.read.promoted() || c.aborted(&t) || c.read.PromoteFull || c.goesBack() || c.read.StableRS == ""
}
