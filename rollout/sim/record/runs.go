// SPDX-License-Identifier: Apache-2.0

package record

import (
	"strconv"
	"strings"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/rollout/kruise"
	"github.com/kplan-go/kplan/rollout/sim"
	"github.com/kplan-go/kplan/rollout/sim/cluster"
	"github.com/kplan-go/kplan/rollout/traffic"
)

const batchRelease sim.Kind = "BatchRelease" // of a Rollout of the same name

func (s *Steps) run(k sim.Kind, name string) *run {
	r := s.runs[key{k, name}]
	if r == nil {
		r = &run{key: key{k, name}}
		s.runs[r.key] = r
	}
	return r
}

// top returns the Rollout that releases a workload, or the workload itself.
func (r *run) top() *run {
	if r.leader != nil {
		return r.leader
	}
	return r
}

// all returns a workload and the workloads that it releases.
func (r *run) all() []*run { return append([]*run{r}, r.led...) }

// changed notes that the sizes of a workload may have changed.
func (s *Steps) changed(r *run) {
	r = r.top()
	r.written = true
	s.dirty[r] = struct{}{}
}

// wrote notes a write of a workload, or of a part of it.
func (s *Steps) wrote(e sim.Change, r *run) {
	s.changed(r)
	top := r.top()
	top.acts(e)
	s.completed(top, e.Time)
}

func (s *Steps) observe(e sim.Change) {
	if e.Time.After(s.now) {
		s.flush()
		s.now = e.Time
	}
	switch o := e.Object.(type) {
	case *podorder.Pod:
		s.pod(e, o)
	case *daemonset.Pod:
		s.pod(e, &o.Pod)
	case *replicaset.ReplicaSet:
		s.set(e, o)
	case *deploy.Deployment:
		r := s.run(sim.KindDeployment, o.Name)
		if r.made = e.Made != "" && e.Verb != sim.Remove; r.made && r.leader == nil {
			s.extra(r)
		}
		s.object(e, r, o.UID, o)
	case *daemonset.DaemonSet:
		s.object(e, s.run(sim.KindDaemonSet, o.Name), o.UID, o)
	case *cluster.Set:
		s.object(e, s.run(sim.KindSet, o.Name), o.UID, o)
	case *kruise.Rollout:
		s.rollout(e, o)
	case *cluster.ArgoRollout:
		s.stood(e, s.run(sim.KindArgoRollout, o.Name), o.UID, o)
	case *cluster.Node:
		if s.zones[o.Name] = o.Zone; o.Zone != "" {
			s.names[o.Zone] = true
		}
	default:
		s.beside(e)
	}
}

// object notes a workload.
func (s *Steps) object(e sim.Change, r *run, uid string, o any) {
	r.uid, r.object, s.of[uid] = uid, o, r
	s.wrote(e, r)
	if e.Verb == sim.Remove && r.leader != nil { // such as the extra Deployment of a release
		r.lead(nil)
	}
}

// rollout notes a Rollout of OpenKruise, which releases its workload.
func (s *Steps) rollout(e sim.Change, o *kruise.Rollout) {
	r := s.run(sim.KindRollout, o.Name)
	s.stood(e, r, o.UID, o)
	kind := sim.KindSet
	switch o.WorkloadRef.Kind {
	case deploy.Kind:
		kind = sim.KindDeployment
	case daemonset.Kind:
		kind = sim.KindDaemonSet
	}
	of := s.run(kind, o.WorkloadRef.Name)
	if e.Verb == sim.Remove {
		of.lead(nil)
	} else if of.leader != r {
		of.lead(r)
		for _, made := range s.runs { // in a world that begins in the middle of a release
			if made.made && made.leader == nil {
				s.extra(made)
			}
		}
	}
}

// lead makes a Rollout the leader of a workload; a nil leader removes it.
func (r *run) lead(leader *run) {
	if was := r.leader; was != nil {
		kept := was.led[:0:0]
		for _, of := range was.led {
			if of != r {
				kept = append(kept, of)
			}
		}
		was.led, r.former = kept, was
	}
	if r.leader = leader; leader != nil {
		leader.led = append(leader.led, r)
	}
}

// extra adds a Deployment that a BatchRelease has created to the Rollout of the BatchRelease.
func (s *Steps) extra(r *run) {
	var of *run
	for _, top := range s.runs {
		if top.kind == sim.KindRollout && len(top.led) > 0 && strings.HasPrefix(r.name, top.led[0].name+"-") &&
			(of == nil || len(top.led[0].name) > len(of.led[0].name)) {
			of = top
		}
	}
	if of != nil {
		r.lead(of)
	}
}

// stood notes a Rollout, and whether it has progressed.
func (s *Steps) stood(e sim.Change, r *run, uid string, o any) {
	before := s.progress(r)
	if e.By == "user" && r.object != nil && s.progress(&run{object: o}) != before { // the wait for a user ends here
		r.moved = true
		s.finish(r)
	}
	s.object(e, r, uid, o)
	if s.progress(r) != before {
		r.moved = true
	}
	if e.By == r.next.By && r.next.Plan != nil && acts(r.next.Plan) && !r.acted { // a weight is in the status alone
		r.next.Time, r.acted = r.again, true
	}
}

// beside records objects of no single workload: Services and routes, the BatchRelease of a Rollout,
// and revisions of DaemonSets.
func (s *Steps) beside(e sim.Change) {
	gone := e.Verb == sim.Remove
	switch o := e.Object.(type) {
	case *revision.ControllerRevision:
		keep(s.revisions, o.UID, o, gone)
		if r := s.of[o.ControllerUID]; r != nil && r.ownsPods() {
			s.wrote(e, r)
		}
		return
	case *traffic.Service:
		keep(s.services, o.Name, o, gone)
	case *traffic.Route:
		keep(s.routes, o.Name, o, gone)
	case *traffic.Ingress:
		keep(s.ingresses, o.Name, o, gone)
	default:
		if e.Kind == batchRelease {
			r := s.run(sim.KindRollout, e.Name)
			r.batch = !gone
			s.wrote(e, r)
		}
		return
	}
	for _, r := range s.runs {
		if r.kind != sim.KindRollout && r.kind != sim.KindArgoRollout || r.object == nil {
			continue
		}
		if s.dirty[r] = struct{}{}; r.next.Plan != nil && e.Why != "" && strings.Contains(r.next.Plan.String(), e.Why) {
			r.acts(e)
		}
	}
}

// keep stores an object by its name, or removes it.
func keep[T any](all map[string]*T, name string, o *T, gone bool) {
	if gone {
		delete(all, name)
	} else {
		all[name] = o
	}
}

// argoNumber returns the number of a ReplicaSet of Argo, 0 if it has none.
func argoNumber(annotations map[string]string) int64 {
	n, err := strconv.ParseInt(annotations["rollout.argoproj.io/revision"], 10, 64)
	if err != nil {
		return 0
	}
	return n
}
