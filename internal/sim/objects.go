// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"time"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/internal/podset"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/rollout/batchrelease"
	"github.com/kplan-go/kplan/rollout/kruise"
	"github.com/kplan-go/kplan/rollout/traffic"
)

// A State is what the store holds, in no particular order. The slices share no memory
// with what planners are handed.
type State struct {
	Now           time.Time // true time
	Version       int64     // of the store; each write has its own
	Deployments   []*Deployment
	ReplicaSets   []*replicaset.ReplicaSet
	Pods          []*podorder.Pod // of ReplicaSets, and stray ones beside them
	DaemonSets    []*DaemonSet
	Daemons       []*daemonset.Pod // pods of DaemonSets, and stray ones beside them
	Nodes         []*Node
	Revisions     []*revision.ControllerRevision
	Sets          []*Set // CloneSets and StatefulSets
	Rollouts      []*Rollout
	BatchReleases []*BatchRelease
	Services      []*Service
	Routes        []*traffic.Route
	Ingresses     []*traffic.Ingress
}

type replicaSet = replicaset.ReplicaSet

// A Deployment is a stored Deployment.
type Deployment struct {
	deploy.Deployment
	Labels     map[string]string
	Finalizers []string
	OwnerUID   string // of the BatchRelease that made it, "" for one of a person
	CreatedAt  time.Time
}

// A Set is a stored CloneSet or StatefulSet.
type Set struct {
	podset.Set
	ResourceVersion string
}

// A DaemonSet is a stored DaemonSet.
type DaemonSet struct {
	daemonset.DaemonSet
	Labels          map[string]string
	ResourceVersion string
	TemplateID      string // what its hash is made from; "" if the hash is given
}

// A Node is a stored node.
type Node struct {
	daemonset.Node
	UID             string
	ResourceVersion string
	Zone            string
	NotReady        bool // its agent does not answer, and pods on it are not ready
	Cordoned        bool
}

// A Rollout is a stored Rollout.
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
