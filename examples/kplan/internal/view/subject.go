// SPDX-License-Identifier: Apache-2.0

package view

import (
	"strings"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/replicaset"
)

// A Subject is the object that an answer is about.
type Subject struct{ Kind, Group, Namespace, Name string }

// kruiseApps is the API group of OpenKruise's workloads.
const kruiseApps = "apps.kruise.io"

// String returns the form of kubectl get -o name, such as deployment.apps/web.
func (s Subject) String() string {
	resource := strings.ToLower(s.Kind)
	if s.Group != "" {
		resource += "." + s.Group
	}
	return resource + "/" + s.Name
}

// label names the object for people.
func (s Subject) label() string {
	if s.Namespace != "" {
		return s.Namespace + "/" + s.Name
	}
	return s.Name
}

func deployment(namespace, name string) Subject {
	return Subject{"Deployment", "apps", namespace, name}
}

func daemonSet(namespace, name string, advanced bool) Subject {
	s := Subject{daemonset.Kind, "apps", namespace, name}
	if advanced {
		s.Group = kruiseApps
	}
	return s
}

func replicaSet(kind, namespace, name string) Subject {
	s := Subject{kind, "", namespace, name}
	if kind == replicaset.Kind {
		s.Group = "apps"
	}
	return s
}

func kruiseRollout(namespace, name string) Subject {
	return Subject{"Rollout", "rollouts.kruise.io", namespace, name}
}

func argoRollout(namespace, name string) Subject {
	return Subject{"Rollout", "argoproj.io", namespace, name}
}

// Subject returns the Deployment.
func (p Plan) Subject() Subject { return deployment(p.Namespace, p.Snapshot.Deployment.Name) }

// Subject returns the Deployment.
func (s Simulation) Subject() Subject { return deployment(s.Namespace, s.Name) }

// Subject returns the Deployment.
func (c Comparison) Subject() Subject { return deployment(c.Namespace, c.Name) }

// Subject returns the Deployment.
func (u Undo) Subject() Subject { return deployment(u.Namespace, u.Name) }

// Subject returns the Deployment or DaemonSet.
func (h History) Subject() Subject {
	if h.Daemon {
		return daemonSet(h.Namespace, h.Name, h.Advanced)
	}
	return deployment(h.Namespace, h.Name)
}

// Subject returns the DaemonSet.
func (p DaemonPlan) Subject() Subject {
	return daemonSet(p.Namespace, p.Snapshot.DaemonSet.Name, p.Advanced)
}

// Subject returns the DaemonSet.
func (s DaemonSimulation) Subject() Subject { return daemonSet(s.Namespace, s.Name, s.Advanced) }

// Subject returns the ReplicaSet or ReplicationController.
func (p ReplicaPlan) Subject() Subject { return replicaSet(p.Kind, p.Namespace, p.Name) }

// Subject returns the ReplicaSet or ReplicationController.
func (s ReplicaSimulation) Subject() Subject { return replicaSet(s.Kind, s.Namespace, s.Name) }

// Subject returns the ReplicaSet or ReplicationController.
func (o Order) Subject() Subject { return replicaSet(o.Kind, o.Namespace, o.Name) }

// Subject returns the Rollout.
func (p RolloutPlan) Subject() Subject {
	return kruiseRollout(p.Namespace, p.Snapshot.Rollout.Name)
}

// Subject returns the Rollout.
func (s RolloutSimulation) Subject() Subject { return kruiseRollout(s.Namespace, s.Rollout.Name) }

// Subject returns the Rollout.
func (p ArgoPlan) Subject() Subject { return argoRollout(p.Namespace, p.Snapshot.Rollout.Name) }

// Subject returns the Rollout.
func (s ArgoSimulation) Subject() Subject { return argoRollout(s.Namespace, s.Rollout.Name) }

// Subject returns the Rollout.
func (h ArgoHistory) Subject() Subject { return argoRollout(h.Namespace, h.Name) }

// Subject returns the Rollout.
func (u ArgoUndo) Subject() Subject { return argoRollout(u.Namespace, u.Name) }

// Drives returns the workload of the Rollout, without its group.
func (p RolloutPlan) Drives() Subject {
	ref := &p.Snapshot.Rollout.WorkloadRef
	return Subject{Kind: ref.Kind, Namespace: p.Namespace, Name: ref.Name}
}

// Ungrouped returns the object without its group.
func (s Subject) Ungrouped() Subject {
	s.Group = ""
	return s
}
