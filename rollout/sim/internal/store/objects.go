// SPDX-License-Identifier: Apache-2.0

package store

import (
	"time"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/rollout/batchrelease"
	"github.com/kplan-go/kplan/rollout/kruise"
	"github.com/kplan-go/kplan/rollout/sim/cluster"
	"github.com/kplan-go/kplan/rollout/traffic"
)

// A Deployment is a stored Deployment.
type Deployment struct {
	deploy.Deployment
	Labels     map[string]string
	Finalizers []string
	OwnerUID   string // of the BatchRelease that made it, "" if a user did
	CreatedAt  time.Time
}

// A Pod is a stored pod of any owner.
type Pod struct {
	daemonset.Pod
	// Template is the ID of the template that the pod was made from, "" if that is not known.
	Template string
	// OfDaemonSet is whether the pod is one of a DaemonSet, or came as one.
	OfDaemonSet bool
	Hold        cluster.PodHold
}

// UpdatedTo gives the pod another template in place, which nothing keeps from being ready.
func (p *Pod) UpdatedTo(template string) {
	p.Hold.Unready = p.Hold.Unready && p.Template == template
	p.Template = template
}

// Plain is the pod as planners of other kinds than DaemonSets read it.
func (p *Pod) Plain() *podorder.Pod { return &p.Pod.Pod }

// A Set is a stored CloneSet or StatefulSet.
type Set struct {
	cluster.Set
	ResourceVersion string
}

// A DaemonSet is a stored DaemonSet.
type DaemonSet struct {
	daemonset.DaemonSet
	Labels          map[string]string
	ResourceVersion string
	TemplateID      string // of which the hash is computed; "" if the hash is given
	Advanced        bool   // of OpenKruise
}

// A Node is a stored node.
type Node struct {
	cluster.Node
	UID             string
	ResourceVersion string
}

// A Rollout is a stored Rollout of OpenKruise.
type Rollout struct {
	kruise.Rollout
	ResourceVersion string
}

// A BatchRelease is a stored BatchRelease.
type BatchRelease struct {
	batchrelease.Release
	ResourceVersion string
	OwnerUID        string
}

// A Service is a stored Service.
type Service struct {
	traffic.Service
	OwnerUID string
}
