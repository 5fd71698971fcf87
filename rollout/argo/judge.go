// SPDX-License-Identifier: Apache-2.0

package argo

import "slices"

// judged holds the analyses of an update and their verdicts.
type judged struct {
	runs   Runs
	pauses []string // the reasons of pauses that begin
	abort  bool     // the update is aborted
	why    string   // the reason of the abort
}

// and returns j with one more verdict.
func (j judged) and(v verdict) judged {
	if v.pause {
		j.pauses = append(slices.Clip(j.pauses), PauseInconclusive)
	}
	if v.abort != "" {
		j.abort, j.why = true, v.abort
	}
	return j
}

// judge takes a run into account. It returns an empty run if another one is to start.
func (in *input) judge(run Run, what string) (Run, verdict) {
	resumed := in.read.ControllerPause && in.paused(PauseStep) == nil && in.paused(PauseBlueGreen) == nil
	v := run.verdict(what, resumed)
	if v.again {
		run = Run{}
	}
	return run, v
}

// unjudged reports whether the pass ignores all analyses.
func (c *counts) unjudged() bool {
	t := c.turn()
	return c.read.promoted() || c.aborted(&t) || c.read.PromoteFull || c.goesBack() || c.read.StableRS == ""
}
