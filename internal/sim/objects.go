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
	"github.com/kplan-go/kplan/rollout/argo"
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
	Things        []*Thing
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

// An ArgoRollout is a stored Rollout of Argo, with what its planner is given from elsewhere:
// the names of its Services, and the routes of steps, which nobody else keeps.
type ArgoRollout struct {
	argo.Rollout
	UID, ResourceVersion string
	TemplateLabels       map[string]string
	MinReadySeconds      int32
	ActiveService        string
	PreviewService       string
	StableService        string
	CanaryService        string
	PingService          string
	PongService          string
	Routes               []argo.Route
}

// A Thing is a stored object of a kind of somebody's own.
type Thing struct {
	Kind, Name, UID, ResourceVersion string
	Generation                       int64
	Labels, Annotations              map[string]string
	ControllerKind                   string
	ControllerName                   string
	ControllerUID                    string
	CreationTimestamp                time.Time
	Spec, Status                     map[string]string
}
