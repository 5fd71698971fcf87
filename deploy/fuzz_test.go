package deploy_test

import (
	"testing"

	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/internal/purity"
	"pgregory.net/rapid"
)

// examples are a few snapshots, always the same.
func examples() (list []deploy.Snapshot) {
	for seed := range 4 {
		list = append(list, rapid.Custom(anything).Example(seed), rapid.Custom(midway).Example(seed))
	}
	return list
}

// FuzzSnapshot plans snapshots that were written by anybody.
func FuzzSnapshot(f *testing.F) {
	purity.Fuzz(f, deploy.ErrInvalid, func(s deploy.Snapshot) (deploy.Plan, error) {
		if _, err := deploy.Reconcile(s, t0, deploy.Options{}); err != nil {
			return deploy.Plan{}, err
		}
		return deploy.Reconcile(s, t0, deploy.Options{Corrected: true, Terminating: deploy.TerminationComplete})
	}, examples()...)
}

// A created is a ReplicaSet that was to be created, and what came of it.
type created struct {
	Snapshot deploy.Snapshot         `json:"snapshot"`
	Create   deploy.CreateReplicaSet `json:"create"`
	Outcome  deploy.CreateOutcome    `json:"outcome"`
}

func FuzzAfterCreate(f *testing.F) {
	var seeds []created
	for _, s := range examples()[:4] {
		for _, result := range []deploy.CreateResult{deploy.AlreadyExists, deploy.CreateFailed} {
			seeds = append(seeds, created{s, deploy.CreateReplicaSet{Name: "web-v2", Revision: 3}, deploy.CreateOutcome{Result: result, Message: "m"}})
		}
	}
	purity.Fuzz(f, deploy.ErrInvalid, func(c created) (deploy.Plan, error) {
		p, _, err := deploy.AfterCreate(c.Snapshot, t0, deploy.Options{}, c.Create, c.Outcome)
		return p, err
	}, seeds...)
}

func FuzzOldPodsRunning(f *testing.F) {
	purity.Fuzz(f, deploy.ErrInvalid, func(s deploy.Snapshot) (bool, error) { return deploy.OldPodsRunning(s, t0, deploy.Options{}) }, examples()...)
}
