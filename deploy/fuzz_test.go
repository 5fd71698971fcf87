// SPDX-License-Identifier: Apache-2.0

package deploy_test

import (
	"testing"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/deploy/quirk"
	"github.com/kplan-go/kplan/internal/verify/purity"
	"github.com/kplan-go/kplan/internal/verify/random"
)

// examples are a few snapshots, always the same.
func examples() (list []deploy.Snapshot) {
	for seed := range uint64(4) {
		list = append(list, random.Deployment(random.Seeded(seed), random.Anything), random.Deployment(random.Seeded(seed), random.Midway))
	}
	return list
}

// FuzzSnapshot plans snapshots that were written by anybody.
func FuzzSnapshot(f *testing.F) {
	purity.Fuzz(f, kplan.ErrInvalid, func(s deploy.Snapshot) (deploy.Plan, error) {
		if _, err := deploy.Reconcile(s, t0, deploy.Options{}); err != nil {
			return deploy.Plan{}, err
		}
		return deploy.Reconcile(s, t0, deploy.Options{Repair: quirk.All, Terminating: deploy.TerminationComplete})
	}, examples()...)
}

// A unfinished is a plan of which one action was not carried out.
type unfinished struct {
	Snapshot deploy.Snapshot    `json:"snapshot"`
	Failed   int                `json:"failed"`
	Answer   kplan.ServerAnswer `json:"answer"`
}

// A finish is what can be compared of a [deploy.Result].
type finish struct {
	Status      deploy.Status     `json:"status"`
	Annotations map[string]string `json:"annotations,omitempty"`
	WriteStatus bool              `json:"writeStatus,omitzero"`
	Events      []kplan.Event     `json:"events,omitempty"`
	Holds       []kplan.Hold      `json:"holds,omitempty"`
	Err         string            `json:"err,omitzero"`
}

func (c *unfinished) finish() (finish, error) {
	p, err := deploy.Reconcile(c.Snapshot, t0, deploy.Options{})
	if err != nil {
		return finish{}, err
	}
	report := deploy.Report{Outcomes: make([]kplan.Outcome, len(p.Actions))}
	for i := range report.Outcomes {
		if report.Outcomes[i].Answer = kplan.Done; i == c.Failed {
			report.Outcomes[i].Answer = c.Answer
		}
	}
	r := deploy.FinishPlan(c.Snapshot, p, report, t0, deploy.Options{})
	f := finish{r.Status, r.Annotations, r.WriteStatus, r.Events, r.Holds, ""}
	if r.Err != nil {
		f.Err = r.Err.Error()
	}
	return f, nil
}

func FuzzFinish(f *testing.F) {
	var seeds []unfinished
	for _, s := range examples()[:4] {
		for _, answer := range []kplan.ServerAnswer{kplan.AlreadyExists, kplan.Failed, kplan.NotFound} {
			seeds = append(seeds, unfinished{s, 0, answer}, unfinished{s, 1, answer})
		}
	}
	purity.Fuzz(f, kplan.ErrInvalid, func(c unfinished) (finish, error) { return c.finish() }, seeds...)
}

func FuzzOldPodsRunning(f *testing.F) {
	purity.Fuzz(f, kplan.ErrInvalid, func(s deploy.Snapshot) (bool, error) { return deploy.OldPodsRunning(s, t0, deploy.Options{}) }, examples()...)
}
