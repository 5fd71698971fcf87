package command

import (
	"errors"

	"github.com/kplan-go/kplan/examples/kplan/internal/manifest"
	"github.com/kplan-go/kplan/examples/kplan/internal/view"
	"github.com/kplan-go/kplan/internal/podset"
	"github.com/kplan-go/kplan/internal/sim"
	"github.com/kplan-go/kplan/revision"
)

// beginSetRollout simulates the release from an old CloneSet or StatefulSet to that of the
// Rollout.
func (s *simulation) beginSetRollout(r *manifest.Rollout, old *manifest.PodSet) (view.RolloutSimulation, error) {
	template := r.Workload.Template
	if template.Same(old.Set.Template) {
		return view.RolloutSimulation{}, r.Invalid(errors.New("the template of its " + r.Workload.Kind + " is that of --from, and there is nothing to release"))
	}
	set, err := wantedSet(r.Set, old)
	if err != nil {
		return view.RolloutSimulation{}, err
	}
	set.Template = revision.Template{ID: old.Set.Template.ID}
	now := s.now.Time
	if now.IsZero() {
		now = sim.Epoch
	}
	result, err := sim.RunRollout(sim.RolloutRelease{
		Now: now, Rollout: r.Snapshot.Rollout, Set: &set, Template: revision.Template{ID: template.ID}, Traffic: r.Snapshot.Traffic,
	}, s.rolloutConfig(template))
	if err != nil {
		return view.RolloutSimulation{}, r.Invalid(err)
	}
	return s.viewRollout(r, set.Budget(), result), nil
}

// wantedSet returns the set of a release with all but the template.
func wantedSet(wanted, old *manifest.PodSet) (podset.Set, error) {
	set := wanted.Set
	inPlace, err := wanted.InPlace(old)
	set.InPlace = inPlace
	return set, err
}
