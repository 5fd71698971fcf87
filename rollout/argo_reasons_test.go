package rollout_test

import (
	"time"

	"github.com/kplan-go/kplan/rollout"
)

func planArgo(s rollout.ArgoSnapshot, at time.Time) (rollout.ArgoPlan, error) {
	p, err := rollout.ArgoReconcile(s, at, rollout.ArgoOptions{})
	produced.Note(p)
	return p, err
}
