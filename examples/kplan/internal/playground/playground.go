// SPDX-License-Identifier: Apache-2.0

// Package playground simulates the rollout from one manifest to another, as typed into a page, in
// an environment that sliders set. It runs the simulation of the command without the types of the
// Kubernetes API, so that it is small enough for a browser.
package playground

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"time"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/examples/kplan/internal/timeline"
	"github.com/kplan-go/kplan/examples/kplan/internal/view"
	"github.com/kplan-go/kplan/examples/kplan/internal/world"
	"github.com/kplan-go/kplan/rollout/sim"
	"github.com/kplan-go/kplan/rollout/sim/cluster"
)

// Input is the request of a page.
type Input struct {
	Now         string      `json:"now"`  // the running manifests, rolled out; nothing runs without a Deployment
	Next        string      `json:"next"` // the manifests to apply
	Environment Environment `json:"environment"`
}

// An Environment is the simulated cluster. Times are in seconds.
type Environment struct {
	Start     float64 `json:"start"`     // from the creation of a pod until it is ready
	Terminate float64 `json:"terminate"` // from deleting a pod to its end
	Jitter    float64 `json:"jitter"`    // maximum random addition to each time
	Notice    float64 `json:"notice"`    // until controllers notice a change
	Zones     int     `json:"zones"`     // of nodes, at most 9; none below 2
	Broken    bool    `json:"broken"`    // pods of the new template never become ready
}

// Output is the content of the page, or an error.
type Output struct {
	Section string   `json:"section,omitempty"` // HTML without scripts
	Verdict string   `json:"verdict,omitempty"`
	Notes   []string `json:"notes,omitempty"`
	Error   string   `json:"error,omitempty"`
	Box     string   `json:"box,omitempty"` // text with the error: "now", "next", or "" for neither
}

// Answer simulates a rollout. Errors in the input are part of the output.
func Answer(in Input) Output {
	t, notes, box, err := simulate(in)
	if err != nil {
		return Output{Error: err.Error(), Box: box}
	}
	section, err := timeline.Section(t)
	if err != nil {
		return Output{Error: err.Error()}
	}
	return Output{Section: section, Verdict: t.Verdict, Notes: notes}
}

// simulate returns the timeline of a rollout, or an error and the text that causes it.
func simulate(in Input) (t *timeline.Timeline, notes []string, box string, err error) {
	next, others, err := read(in.Next)
	if err != nil {
		return nil, nil, "next", err
	}
	now, _, err := read(in.Now)
	if err != nil {
		return nil, nil, "now", err
	}
	from, to, err := choose(now, next)
	if err != nil {
		return nil, nil, "next", err
	}
	r := rolling{from: from, to: to, environment: in.Environment}
	if box, err = r.begin(); err != nil {
		return nil, nil, box, err
	}
	simulated, err := r.run()
	if err != nil {
		return nil, nil, "", err
	}
	return simulated.Timeline(), r.notes(now, others, next), "", nil
}

// A rolling is the state of a simulation.
type rolling struct {
	from, to    *manifest // from is nil if nothing runs
	environment Environment
	world       world.Beginning
}

// begin sets the initial cluster. For an error it returns the text that causes it.
func (r *rolling) begin() (box string, err error) {
	wanted, err := r.to.deployment("next")
	if err != nil {
		return "next", err
	}
	r.world = world.Beginning{Cluster: &world.Cluster{}}
	r.world.Now, r.world.Deployments, r.world.Nodes = epoch, []deploy.Deployment{wanted}, r.nodes()
	r.world.Templates = map[string]cluster.Template{wanted.Template.ID: {NeverReady: r.environment.Broken}}
	if r.from == nil {
		r.world.BeginDeployment("", wanted.Name, false)
		return "", nil
	}
	running, err := r.from.deployment("now")
	if err != nil {
		return "now", err
	}
	if !reflect.DeepEqual(running.Selector, wanted.Selector) {
		return "next", errors.New("spec.selector: must not change")
	}
	wanted.Name += world.Next
	r.world.Deployments = []deploy.Deployment{running, wanted}
	r.world.BeginDeployment("", running.Name, true)
	r.world.Earlier = true
	if err = r.world.RollOut([]*world.Beginning{&r.world})[&r.world]; err != nil {
		return "now", err
	}
	r.world.Place()
	return "", nil
}

// epoch is the time at which simulations begin.
var epoch = time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC)

// nodes returns two nodes for each zone.
func (r *rolling) nodes() (list []cluster.Node) {
	n := min(r.environment.Zones, 9)
	if n < 2 {
		return nil
	}
	for i := range 2 * n {
		list = append(list, cluster.Node{Node: daemonset.Node{Name: fmt.Sprintf("node-%d", i+1)}, Zone: fmt.Sprintf("zone-%d", i%n+1)})
	}
	return list
}

func (r *rolling) run() (view.Simulation, error) {
	e := &r.environment
	jittered := func(d time.Duration) cluster.Spread { return cluster.Between(d, d+seconds(e.Jitter)) }
	config := sim.Config{Times: cluster.Times{Schedule: jittered(0), Ready: jittered(seconds(e.Start)), End: jittered(seconds(e.Terminate))}, Latency: seconds(e.Notice)}
	images := map[string]string{r.to.id: r.to.images()}
	if r.from != nil {
		images[r.from.id] = r.from.images()
	}
	runs, err := r.world.Run([]*world.Beginning{&r.world}, config, 24*time.Hour, true)
	if err != nil {
		return view.Simulation{}, err
	}
	s := view.Told(&r.world, &runs[0], view.Deployments{Images: images})
	s.Namespace = r.to.Metadata.Namespace
	return s, nil
}

// seconds returns a duration of at most a day, 0 for NaN and for negative numbers.
func seconds(s float64) time.Duration {
	if !(s > 0) {
		return 0
	}
	return time.Duration(min(s, 24*60*60) * float64(time.Second))
}

// notes returns notes about objects in the texts that the timeline does not show.
func (r *rolling) notes(now []*manifest, others []string, next []*manifest) (notes []string) {
	for _, m := range next[1:] {
		others = append(others, "Deployment "+m.Metadata.Name)
	}
	if len(others) > 0 {
		notes = append(notes, "Not looked at: "+strings.Join(others, ", ")+".")
	}
	if r.from == nil && len(now) > 0 {
		notes = append(notes, fmt.Sprintf("No Deployment %s is running, so it starts from nothing.", r.to.Metadata.Name))
	}
	return notes
}
