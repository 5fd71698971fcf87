// SPDX-License-Identifier: Apache-2.0

package subject

import (
	"time"

	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/examples/kplan/internal/manifest"
	"github.com/kplan-go/kplan/examples/kplan/internal/view"
	"github.com/kplan-go/kplan/examples/kplan/internal/world"
)

// compare runs the rollout of a Deployment with each strategy.
func (s *Settings) compare(w, old *manifest.Workload) (view.Comparison, error) {
	if _, err := deploymentRolledOut(old); err != nil {
		return view.Comparison{}, err
	}
	j, err := s.startOf(w, old)
	if err != nil {
		return view.Comparison{}, err
	}
	if begun([]*job{j}); j.err != nil {
		return view.Comparison{}, j.err
	}
	start := &j.start
	start.Place()
	renumber(start, old)
	strategies, err := s.strategies(w)
	if err != nil {
		return view.Comparison{}, err
	}
	result := view.Comparison{
		Namespace: w.Deployment.Namespace, Name: w.Deployment.Name, Runs: 1, Start: s.Comparison.Start.String(), Policies: s.departures(),
	}
	if len(s.Comparison.Start) > 0 {
		result.Runs = int(s.Runs)
	}
	s.environment(w, old, start)
	start.Broken(s.NeverReady)
	s.override(start.Cluster, len(s.Comparison.Start) > 0)
	for _, t := range strategies {
		row := view.Trial{Strategy: t.label}
		for i := range result.Runs {
			s.Doing("trying %s of %s (run %d of %d)", t.label, w.Name(), i+1, result.Runs)
			b := *start
			b.Applied = []any{t.in(start.Wanted())}
			config := s.Pace.config(&s.Policies)
			config.Seed, config.Autoscalers = s.seed+uint64(i), scaled(start.Name, w.Scaled())
			if len(s.Comparison.Start) > 0 {
				config.Times.Ready = s.Comparison.Start.spread()
			}
			runs, err := b.Run([]*world.Beginning{&b}, config, time.Duration(s.timeLimit), s.Records)
			if err != nil {
				return result, w.Invalid(withHelp(err))
			}
			told := view.Told(&b, &runs[0], view.Deployments{})
			row.Add(&told)
		}
		result.Trials = append(result.Trials, row)
	}
	return result, nil
}

// A strategy is a Deployment with the changes of a trial.
type strategy struct {
	label string
	deploy.Deployment
}

// strategies returns the strategy of a Deployment as written, and the strategies to compare with
// it.
func (s *Settings) strategies(w *manifest.Workload) (list []strategy, err error) {
	for _, t := range append([]trial{{label: "as written"}}, s.trials...) {
		d, err := t.of(w)
		if err != nil {
			return nil, err
		}
		list = append(list, strategy{t.label, d})
	}
	return list, nil
}

// in returns the Deployment of a cluster with the fields that trials change.
func (s *strategy) in(d deploy.Deployment) deploy.Deployment {
	d.Strategy, d.MaxSurge, d.MaxUnavailable, d.MinReadySeconds, d.Replicas = s.Strategy, s.MaxSurge, s.MaxUnavailable, s.MinReadySeconds, s.Replicas
	return d
}
