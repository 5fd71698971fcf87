// SPDX-License-Identifier: Apache-2.0

package view

import (
	"strings"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/replicaset"
)

// A Subject is the object of an answer.
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

// label returns the name, with the namespace if there is one.
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

// Ungrouped returns the object without its group.
func (s Subject) Ungrouped() Subject {
	s.Group = ""
	return s
}
