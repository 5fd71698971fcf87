// SPDX-License-Identifier: Apache-2.0

package record

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/rollout/sim"
	"github.com/kplan-go/kplan/rollout/sim/cluster"
	"github.com/kplan-go/kplan/rollout/workload"
)

// A part is a ReplicaSet, or the pods of one hash without a ReplicaSet.
type part struct {
	Part
	of       *run
	template revision.Template // of a ReplicaSet
	there    int32             // pods of a ReplicaSet
	observed bool              // the status of a ReplicaSet is up to date
	zones    map[string]int32  // of its pods that run
}

// A place is the part and the zone of a pod; the zone may be "".
type place struct {
	part  *part
	zone  string
	ready bool
}

// isNew reports whether a part is of the wanted template.
func (s *Steps) isNew(r *run, p *part) bool {
	switch o := r.object.(type) {
	case *deploy.Deployment:
		return p.template.Same(o.Template)
	case *cluster.ArgoRollout:
		return p.template.Hash == o.TemplateHash
	case *daemonset.DaemonSet:
		for _, v := range s.revisions {
			if v.ControllerUID == o.UID && string(v.Data) == string(o.Template.Data) && len(v.Data) > 0 {
				hash, _ := revision.RevisionHash(*v)
				return p.Name == hash
			}
		}
		return p.Name == o.Template.Hash
	case *cluster.Set:
		hash := cmp.Or(o.Template.Hash, o.Template.ID)
		return p.Name == hash || strings.HasSuffix(p.Name, "-"+hash)
	}
	return true
}

// set notes a ReplicaSet with its owner.
func (s *Steps) set(e sim.Change, o *replicaset.ReplicaSet) {
	p := s.sets[o.UID]
	if p == nil {
		p = &part{zones: map[string]int32{}}
		s.sets[o.UID] = p
	}
	number, _ := revision.Number(o.Annotations)
	if number == 0 {
		number = argoNumber(o.Annotations)
	}
	p.template, p.there, p.observed = o.Template, o.Status.Replicas, o.Status.ObservedGeneration >= o.Generation
	p.Part = Part{Name: o.Name, Template: o.Template.ID, Revision: number, Wanted: orOne(o.Replicas), Ready: o.Status.ReadyReplicas, Available: o.Status.AvailableReplicas}
	owner := s.ownerOf(e.Kind, o)
	if p.of != owner {
		p.leave()
		p.of = owner
		owner.parts = append(owner.parts, p)
		s.of[o.UID] = owner
	}
	s.wrote(e, owner)
	if e.Verb == sim.Remove {
		p.leave()
		delete(s.sets, o.UID)
	}
}

// leave takes a part from its owner.
func (p *part) leave() {
	if p.of != nil {
		p.of.parts = slices.DeleteFunc(p.of.parts, func(o *part) bool { return o == p })
	}
}

// ownerOf returns the run of a ReplicaSet: the run of its Deployment or Rollout, or a separate run
// if neither exists.
func (s *Steps) ownerOf(k sim.Kind, o *replicaset.ReplicaSet) *run {
	r := s.of[o.ControllerUID]
	if r != nil && r.uid == o.ControllerUID && r.uid != "" && (r.kind == sim.KindDeployment || r.kind == sim.KindArgoRollout) {
		return r
	}
	return s.run(k, o.Name)
}

// partOf returns the part of a pod, nil if its owner is not known.
func (s *Steps) partOf(p *podorder.Pod) *part {
	if set := s.sets[p.ControllerUID]; set != nil {
		return set
	}
	r := s.of[p.ControllerUID]
	if r == nil || !r.ownsPods() || p.ControllerUID == "" {
		return nil
	}
	hash := p.Labels[workload.LabelControllerRevision]
	for _, of := range r.parts {
		if of.Name == hash {
			return of
		}
	}
	of := &part{Part: Part{Name: hash, Template: hash}, of: r, zones: map[string]int32{}}
	r.parts = append(r.parts, of)
	return of
}

// pod updates the counts after a change of a pod.
func (s *Steps) pod(e sim.Change, p *podorder.Pod) {
	before, known := s.pods[p.UID]
	of := s.partOf(p)
	if of != nil {
		s.changed(of.of)
		top := of.of.top()
		if e.By != "user" {
			top.acts(e)
			switch {
			case e.Verb == sim.Create:
				top.next.Created++
			case e.Verb == sim.Delete, e.Verb == sim.Evicted, e.Verb == sim.Remove && p.DeletionTimestamp.IsZero():
				top.next.Deleted++
			}
		}
	}
	if known {
		s.counted(before, -1, e.Time)
		delete(s.pods, p.UID)
	}
	if of == nil || e.Verb == sim.Remove || !p.Active() {
		return
	}
	if at := (place{of, s.zones[p.NodeName], p.Ready && p.Phase == podorder.Running}); at.zone != "" || of.of.ownsPods() {
		s.pods[p.UID] = at
		s.counted(at, 1, e.Time)
	}
}

// ownsPods reports whether the pods have no ReplicaSet.
func (r *run) ownsPods() bool { return r.kind == sim.KindDaemonSet || r.kind == sim.KindSet }

// counted adds n pods to the counts of a place; n may be negative.
func (s *Steps) counted(at place, n int32, now time.Time) {
	p, top := at.part, at.part.of.top()
	s.changed(p.of)
	if p.of.ownsPods() {
		if p.Wanted += n; at.ready {
			p.Ready += n
		}
	}
	if at.zone != "" {
		s.lasted(top, now)
		top.zoned = now
		p.zones[at.zone] += n
	}
}

// lasted notes how uneven the zones are, if that state has lasted for some time.
func (s *Steps) lasted(r *run, now time.Time) {
	if len(s.names) == 0 || !now.After(r.zoned) {
		return
	}
	least, most := int32(math.MaxInt32), int32(0)
	for zone := range s.names {
		n := r.zone(zone)
		least, most = min(least, n), max(most, n)
	}
	r.next.PeakSkew = max(r.next.PeakSkew, most-least)
}

// zone returns the number of pods of a workload in a zone.
func (r *run) zone(name string) (n int32) {
	for _, of := range r.all() {
		for _, p := range of.parts {
			n += p.zones[name]
		}
	}
	return n
}
