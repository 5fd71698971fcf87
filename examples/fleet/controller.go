// SPDX-License-Identifier: Apache-2.0

package fleet

import (
	"errors"
	"fmt"
	"maps"
	"strconv"
	"time"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/deploy/quirk"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/revision"
)

// Keys are the annotations of fleets and groups, which no other controller uses.
var Keys = revision.Keys{
	Revision: "games.example.com/revision", History: "games.example.com/revision-history", Rollback: "games.example.com/rollback-to",
	Desired: "games.example.com/desired-servers", Max: "games.example.com/max-servers",
}

// options repair the defects that Deployments keep, and count a group's extra servers as
// taking up room, since they cost money.
func options() deploy.Options {
	return deploy.Options{Keys: Keys, Repair: quirk.All, Terminating: deploy.TerminationComplete}
}

// A Controller carries out the plans of kplan. Its store must return its own writes at
// once; with a cache, keep the expectations of replicaset.Plan.Expect until the cache
// has them.
type Controller struct {
	Store Store
	Told  func(line string) // the actions and their reasons
}

// Reconcile makes one pass for a fleet, and returns the time of the next pass, zero to
// wait for the next change. After an error call it again as well.
func (c *Controller) Reconcile(name string, now time.Time) (again time.Time, err error) {
	f, err := c.Store.Fleet(name)
	if err != nil {
		return again, err
	}
	groups, err := c.Store.Groups(f.UID)
	if err != nil {
		return again, err
	}
	again, err = c.fleet(&f, groups, now)
	if groups, read := c.Store.Groups(f.UID); read == nil {
		for i := range groups {
			next, failed := c.group(&groups[i], now)
			again, err = earlier(again, next), errors.Join(err, failed)
		}
	}
	return again, err
}

// fleet grows and shrinks groups.
func (c *Controller) fleet(f *Fleet, groups []Group, now time.Time) (again time.Time, err error) {
	s := deploy.Snapshot{Deployment: f.deployment()}
	for i := range groups {
		rs, beyond := groups[i].replicaSet(), max(0, groups[i].Status.Replicas-groups[i].Servers)
		rs.Status.TerminatingReplicas = &beyond
		s.ReplicaSets = append(s.ReplicaSets, rs)
	}
	pass, err := deploy.NewPass(s, now, options())
	if err != nil {
		return again, err
	}
	var report deploy.Report
	for _, a := range pass.Plan.Actions {
		o := c.change(f, groups, a, now)
		report.Outcomes = append(report.Outcomes, o)
		if o.Answer != kplan.Done {
			break
		}
		c.Told(f.Name + ": " + a.String())
	}
	result := pass.Finish(report)
	if result.WriteStatus {
		f.Status, f.Annotations = result.Status, result.Annotations
		_, err = c.Store.PutFleet(*f)
	}
	return result.RecheckAt, errors.Join(result.Err, err)
}

// change carries out an action on a fleet or one of its groups.
func (c *Controller) change(f *Fleet, groups []Group, action deploy.Action, now time.Time) kplan.Outcome {
	named := func(name string) Group {
		for _, g := range groups {
			if g.Name == name {
				return g
			}
		}
		return Group{UID: "none", Name: name}
	}
	switch a := action.(type) {
	case deploy.CreateReplicaSet:
		g, err := c.Store.PutGroup(Group{
			Name: a.Name, FleetUID: f.UID, Image: a.Template.ID, Hash: a.Template.Hash,
			Servers: a.Replicas, Annotations: a.Annotations, Created: now, Generation: 1,
		})
		return outcome(err, g.Name, g.UID, g.Version)
	case deploy.ScaleReplicaSet:
		g := named(a.Name)
		g.Version, g.Servers, g.Annotations = a.ResourceVersion, a.To, with(g.Annotations, a.Set)
		g.Generation++
		g, err := c.Store.PutGroup(g)
		return outcome(err, g.Name, g.UID, g.Version)
	case deploy.AnnotateReplicaSet:
		g := named(a.Name)
		g.Version, g.Annotations = a.ResourceVersion, with(g.Annotations, a.Set)
		g, err := c.Store.PutGroup(g)
		return outcome(err, g.Name, g.UID, g.Version)
	case deploy.DeleteReplicaSet:
		return outcome(c.Store.DeleteGroup(a.UID, a.ResourceVersion), a.Name, a.UID, "")
	case deploy.AnnotateDeployment: // goes along with the status
		return kplan.Outcome{Answer: kplan.Done}
	case deploy.RollBackDeployment:
		f.Image, f.Annotations = a.Template.ID, a.Annotations
	case deploy.ClearRollback:
		f.Annotations = with(f.Annotations, nil)
		delete(f.Annotations, a.Annotation())
	default: // no selector: nothing is adopted or released; no pause points
		return kplan.Outcome{Answer: kplan.Failed, Err: fmt.Errorf("unexpected: %s", a)}
	}
	f.Generation++
	written, err := c.Store.PutFleet(*f)
	if err == nil {
		*f = written
	}
	return outcome(err, f.Name, f.UID, f.Version)
}

// group creates and deletes servers.
func (c *Controller) group(g *Group, now time.Time) (again time.Time, err error) {
	servers, err := c.Store.Servers(g.UID)
	if err != nil {
		return again, err
	}
	s := replicaset.Snapshot{ReplicaSet: g.replicaSet()}
	for i := range servers {
		s.Pods = append(s.Pods, servers[i].pod())
	}
	pass, err := replicaset.NewPass(s, now, replicaset.Options{})
	if err != nil {
		return again, err
	}
	var report replicaset.Report
	for _, action := range pass.Plan.Actions {
		switch a := action.(type) {
		case replicaset.CreatePods: // few at first, so that a failing call fails once
			for n := a.NextBatch(nil); n > 0; n = a.NextBatch(report.Creates) {
				for range n {
					created, err := c.Store.PutServer(Server{GroupUID: g.UID, Name: g.Name, Image: g.Image, Created: now})
					report.Creates = append(report.Creates, outcome(err, created.Name, created.UID, created.Version))
				}
			}
		case replicaset.DeletePod:
			err := c.Store.DeleteServer(a.UID, a.ResourceVersion)
			report.Deletes = append(report.Deletes, outcome(err, a.Name, a.UID, ""))
		default: // no selector: nothing is adopted or released
			return again, fmt.Errorf("unexpected: %s", a)
		}
		c.Told(g.Name + ": " + action.String())
	}
	result := pass.Finish(report)
	if result.WriteStatus {
		g.Status = result.Status
		_, err = c.Store.PutGroup(*g)
	}
	return result.RecheckAt, errors.Join(result.Err, err)
}

// deployment returns the snapshot of a fleet. The image is the whole template here; if
// there is more, the ID is a digest of all of it.
func (f *Fleet) deployment() deploy.Deployment {
	return deploy.Deployment{
		Kind: "Fleet", ReplicaSetKind: "Group", Name: f.Name, UID: f.UID, ResourceVersion: f.Version, Generation: f.Generation,
		Annotations: f.Annotations, Replicas: &f.Servers, MaxSurge: f.MaxSurge, MaxUnavailable: f.MaxUnavailable, Status: f.Status,
		Template: revision.Template{ID: f.Image, Hash: revision.Hash(f.Image, f.Status.CollisionCount)},
	}
}

func (g *Group) replicaSet() replicaset.ReplicaSet {
	return replicaset.ReplicaSet{
		Kind: "Group", APIVersion: "games.example.com/v1", PodKind: "Server", Name: g.Name, UID: g.UID, ResourceVersion: g.Version,
		Generation: g.Generation, Annotations: g.Annotations, ControllerKind: "Fleet", ControllerUID: g.FleetUID,
		CreationTimestamp: g.Created, Replicas: &g.Servers, Template: revision.Template{ID: g.Image, Hash: g.Hash}, Status: g.Status,
	}
}

// pod returns the snapshot of a server. Servers with the fewest players are deleted
// first.
func (s *Server) pod() podorder.Pod {
	return podorder.Pod{
		Name: s.Name, UID: s.UID, ResourceVersion: s.Version, ControllerKind: "Group", ControllerUID: s.GroupUID, NodeName: "any",
		CreationTimestamp: s.Created, DeletionTimestamp: s.Deleting, Phase: podorder.Running,
		Ready: !s.ReadySince.IsZero(), ReadySince: s.ReadySince,
		Annotations: map[string]string{podorder.AnnotationDeletionCost: strconv.Itoa(s.Players)},
	}
}

// outcome returns the outcome of a call.
func outcome(err error, name, uid, version string) kplan.Outcome {
	o := kplan.Outcome{Answer: kplan.Done, Name: name, UID: uid, ResourceVersion: version, Err: err}
	switch {
	case err == nil:
	case errors.Is(err, ErrNotFound):
		o.Answer = kplan.NotFound
	case errors.Is(err, ErrExists):
		o.Answer = kplan.AlreadyExists
	case errors.Is(err, ErrConflict):
		o.Answer = kplan.Changed
	default:
		o.Answer = kplan.Failed
	}
	return o
}

func earlier(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}

func with(annotations, set map[string]string) map[string]string {
	all := maps.Clone(annotations)
	if all == nil {
		all = map[string]string{}
	}
	maps.Copy(all, set)
	return all
}
