// SPDX-License-Identifier: Apache-2.0

package subject

import (
	"errors"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kplan-go/kplan/examples/kplan/internal/manifest"
	"github.com/kplan-go/kplan/examples/kplan/internal/view"
	"github.com/kplan-go/kplan/examples/kplan/internal/world"
	"github.com/kplan-go/kplan/kube"
	kubeargo "github.com/kplan-go/kplan/kube/argo"
	"github.com/kplan-go/kplan/rollout/sim"
)

// A job is a workload to simulate, in one cluster with the workloads of other jobs.
//
//	objects of all --gathered--> Cluster --begin--> Beginnings --RollOut, prepare, Place--> --Run--> tell
type job struct {
	of       identified
	objects  []kube.Object             // its own
	rollouts []*kubeargo.RolloutObject // of Argo
	own      map[types.UID]bool        // of pods that the simulation leaves out, also as pods around other workloads
	around   manifest.Around
	now      time.Time // the latest time in its objects
	silent   bool      // without an answer
	apart    bool      // in a separate cluster, because its controller must not act or its nodes are assumed

	begin   func(*world.Beginning) error                         // finds the workload in the cluster
	prepare func(*world.Beginning, *sim.Config) error            // applies the input and the flags after it has been rolled out
	tell    func(*world.Beginning, *world.Run, *view.Simulation) // adds notes for the user
	telling view.Telling

	start  world.Beginning
	result view.Simulation
	err    error
}

// after adds a function that runs when the workload is in its initial state, after the functions
// added before.
func (j *job) after(f func(*world.Beginning)) {
	before := j.prepare
	j.prepare = func(b *world.Beginning, c *sim.Config) error {
		if before != nil {
			if err := before(b, c); err != nil {
				return err
			}
		}
		f(b)
		return nil
	}
}

// simulate simulates all jobs in one cluster. It sets the result or the error of each job.
func (s *Settings) simulate(jobs []*job) {
	config := s.config(&s.Policies)
	jobs = begun(jobs)
	if len(jobs) == 0 {
		return
	}
	c := jobs[0].start.Cluster
	c.Place()
	jobs = each(jobs, func(j *job) error { return j.prepare(&j.start, &config) })
	s.override(c, false)
	var list []*world.Beginning
	for _, j := range jobs {
		list = append(list, &j.start)
	}
	if len(list) == 0 {
		return
	}
	runs, err := c.Run(list, config, time.Duration(s.timeLimit), s.Records)
	for i, j := range jobs {
		if err != nil {
			j.err = j.of.Invalid(withHelp(err))
			continue
		}
		if j.silent {
			continue
		}
		j.result = view.Told(&j.start, &runs[i], j.telling)
		j.tell(&j.start, &runs[i], &j.result)
		if r := &j.result; len(jobs) > 1 && !(len(r.Steps) == 1 && r.Done) {
			r.Assumed = append(r.Assumed, besideText(len(jobs)-1))
		}
	}
}

// besideText returns the note about other workloads in the same cluster.
func besideText(others int) string {
	if others == 1 {
		return "in one cluster with the other workload of the input"
	}
	return fmt.Sprintf("in one cluster with the %d other workloads of the input", others)
}

// alone simulates one job.
func (s *Settings) alone(j *job) (view.Simulation, error) {
	s.simulate([]*job{j})
	return j.result, j.err
}

// begun returns the jobs that can begin, all in one cluster and in their initial state.
func begun(jobs []*job) []*job {
	jobs, c := gathered(each(jobs, func(*job) error { return nil }))
	jobs = each(jobs, func(j *job) error {
		j.objects, j.rollouts, j.around = nil, nil, manifest.Around{} // they have been read, and take most memory
		j.start.Cluster = c
		return j.begin(&j.start)
	})
	var list []*world.Beginning
	for _, j := range jobs {
		list = append(list, &j.start)
	}
	if c == nil {
		return nil
	}
	c.DropNext()
	failed := c.RollOut(list)
	return each(jobs, func(j *job) error {
		if err := failed[&j.start]; err != nil {
			return j.of.Invalid(err)
		}
		return nil
	})
}

// each calls a function for each job without an error. It returns the jobs that still have none.
func each(jobs []*job, f func(*job) error) (good []*job) {
	for _, j := range jobs {
		if j.err != nil {
			continue
		}
		if j.err = f(j); j.err == nil {
			good = append(good, j)
		}
	}
	return good
}

// gathered returns the jobs with readable objects, and the cluster of these jobs.
func gathered(jobs []*job) ([]*job, *world.Cluster) {
	if len(jobs) == 0 {
		return nil, nil
	}
	c, err := clusterOf(jobs)
	if err == nil {
		return jobs, c
	}
	good := each(jobs, func(j *job) error {
		if _, own := clusterOf([]*job{j}); own != nil || len(jobs) == 1 {
			return j.of.Invalid(err)
		}
		return nil
	})
	if len(good) < len(jobs) {
		return gathered(good)
	}
	each(jobs, func(j *job) error { return j.of.Invalid(err) })
	return nil, nil
}

// clusterOf returns the cluster with the objects of some jobs and the objects around them.
func clusterOf(jobs []*job) (*world.Cluster, error) {
	g := gathering{now: epoch, seen: map[types.UID]bool{}, named: map[string]bool{}}
	for _, j := range jobs {
		if j.now.After(g.now) {
			g.now = j.now
		}
		g.rollouts = append(g.rollouts, j.rollouts...)
		for _, o := range j.objects {
			g.add(o)
		}
		for uid := range j.own {
			g.seen[uid] = true
		}
	}
	for _, j := range jobs {
		g.beside(&j.around)
	}
	s, err := kubeargo.World(g.now, g.rollouts, g.objects)
	nodes := slices.ContainsFunc(g.objects, func(o kube.Object) bool { _, is := o.(*corev1.Node); return is })
	return &world.Cluster{Snapshot: s, NodesOfPods: !nodes}, err
}

// A gathering collects the objects of some jobs without duplicates.
type gathering struct {
	now      time.Time
	rollouts []*kubeargo.RolloutObject
	objects  []kube.Object
	seen     map[types.UID]bool
	named    map[string]bool // by type, namespace and name
}

// add adds an object, unless it was added before.
func (g *gathering) add(o kube.Object) {
	if id := fmt.Sprintf("%T %s/%s", o, o.GetNamespace(), o.GetName()); !g.named[id] {
		g.named[id], g.seen[o.GetUID()] = true, true
		g.objects = append(g.objects, o)
	}
}

// beside adds the objects around a workload.
func (g *gathering) beside(a *manifest.Around) {
	for _, n := range a.Nodes {
		g.add(n)
	}
	for _, p := range a.Pods {
		if !g.seen[p.UID] {
			g.add(p)
		}
	}
	for _, o := range a.Limits {
		g.add(o)
	}
}

// errTwice is the error of two workloads with the same namespace and name.
var errTwice = errors.New("another workload of the input has the same name: simulate it alone")
