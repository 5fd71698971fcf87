// SPDX-License-Identifier: Apache-2.0

// Package playground simulates what is typed into a page: the rollout from one manifest to
// another, in an environment of sliders. It is the simulation of the command with another way
// in: without the types of the Kubernetes API, so that it is small enough for a browser.
package playground

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"
	"time"

	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/examples/kplan/internal/timeline"
	"github.com/kplan-go/kplan/examples/kplan/internal/view"
	"github.com/kplan-go/kplan/internal/sim"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/revision"
)

// Input is what a page asks.
type Input struct {
	Now         string      `json:"now"`  // what is running, rolled out; without a Deployment nothing is
	Next        string      `json:"next"` // what is to be applied
	Environment Environment `json:"environment"`
}

// An Environment is the cluster in which it happens. Times are seconds.
type Environment struct {
	Start     float64 `json:"start"`     // from creating a pod to its being ready
	Terminate float64 `json:"terminate"` // from deleting a pod to its end
	Jitter    float64 `json:"jitter"`    // random time that is added to each, at most
	Notice    float64 `json:"notice"`    // until controllers notice a change
	Zones     int     `json:"zones"`     // of nodes, at most 9; 0 or 1 is not told of
	Broken    bool    `json:"broken"`    // pods of the new template never become ready
}

// Output is what the page shows: a part of it, or an error.
type Output struct {
	Section string   `json:"section,omitempty"` // HTML without scripts
	Verdict string   `json:"verdict,omitempty"`
	Notes   []string `json:"notes,omitempty"`
	Error   string   `json:"error,omitempty"`
	Box     string   `json:"box,omitempty"` // where the error is: "now", "next", or "" for neither
}

// mostLooks is how often planners may look at a pod: some seconds in a browser.
const mostLooks = 20_000_000

// Answer simulates. It never fails: what is wrong with the input is in the output.
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

// simulate returns how it goes, and which text is to blame for an error.
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
	config := r.config()
	result, err := sim.Run(r.cluster, config)
	if errors.Is(err, sim.ErrTooLong) {
		err = errors.New("this takes too long for a page; the command takes more")
	}
	if err != nil {
		return nil, nil, "", err
	}
	return r.view(result, config.Kubelet.Recording).Timeline(), r.notes(now, others, next), "", nil
}

// A rolling is a simulation that is being put together.
type rolling struct {
	from, to    *manifest // from is nil if nothing runs
	environment Environment
	cluster     sim.Cluster
	wanted      deploy.Deployment
}

// begin makes the cluster in which it begins, and returns which text is to blame for an error.
func (r *rolling) begin() (box string, err error) {
	if r.wanted, err = r.to.deployment("next"); err != nil {
		return "next", err
	}
	if r.from == nil {
		r.cluster = sim.Cluster{Now: sim.Epoch, Deployment: r.wanted}
		return "", nil
	}
	running, err := r.from.deployment("now")
	if err != nil {
		return "now", err
	}
	if !reflect.DeepEqual(running.Selector, r.wanted.Selector) {
		return "next", errors.New("spec.selector: must not change")
	}
	if r.cluster, err = sim.Finished(running); err != nil {
		return "now", err
	}
	if names, _ := r.nodes(); len(names) > 0 {
		r.cluster.Place(names)
	}
	r.cluster.Update(r.wanted)
	return "", nil
}

// nodes returns two for each zone.
func (r *rolling) nodes() (names []string, zones podorder.Domains) {
	n := min(r.environment.Zones, 9)
	if n < 2 {
		return nil, nil
	}
	zones = podorder.Domains{}
	for i := range 2 * n {
		name := fmt.Sprintf("node-%d", i+1)
		names, zones[name] = append(names, name), fmt.Sprintf("zone-%d", i%n+1)
	}
	return names, zones
}

func (r *rolling) config() sim.Config {
	e, looks := &r.environment, int64(mostLooks)
	k := sim.Kubelet{ReadyAfter: seconds(e.Start), TerminateAfter: seconds(e.Terminate), Jitter: seconds(e.Jitter), Looks: &looks, Recording: &sim.Recording{}}
	k.Names, k.Zones = r.nodes()
	if e.Broken {
		broken := r.wanted.Template
		k.NeverReady = func(_ podorder.Pod, of revision.Template) bool { return of.Same(broken) }
	}
	return sim.Config{
		Kubelet: k, Latency: seconds(e.Notice),
		ReplicaSetOptions: replicaset.Options{Burst: math.MaxInt32}, // bursts follow each other at once
	}
}

// seconds returns a duration of at most a day. What is no number is none.
func seconds(s float64) time.Duration {
	if !(s > 0) {
		return 0
	}
	return time.Duration(min(s, 24*60*60) * float64(time.Second))
}

func (r *rolling) view(result sim.Result, recording *sim.Recording) view.Simulation {
	images := map[string]string{}
	for _, rs := range result.Cluster.ReplicaSets {
		m := r.to
		if r.from != nil && rs.Template.ID == r.from.id {
			m = r.from
		}
		images[rs.Name] = m.images()
	}
	return view.Simulation{Namespace: r.to.Metadata.Namespace, Name: r.to.Metadata.Name, Images: images, Result: result, Recording: recording}
}

// notes tell of what is in the texts and not in the picture.
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
