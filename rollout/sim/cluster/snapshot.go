// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"time"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/argo"
	"github.com/kplan-go/kplan/rollout/batchrelease"
	"github.com/kplan-go/kplan/rollout/kruise"
	"github.com/kplan-go/kplan/rollout/traffic"
	"github.com/kplan-go/kplan/rollout/workload"
	"github.com/kplan-go/kplan/selector"
)

// A Snapshot is a simulated cluster at an instant. Its JSON is made by encoding/json. Objects of a
// kind have different names; an owner needs a UID if other objects name it. The node, phase and
// readiness of a pod give its stage: the rest of the stage is drawn again.
type Snapshot struct {
	Now time.Time `json:"now"` // zero means the beginning of 2026

	// Resources are the names of the resources in Node.Room and Template.Needs.
	Resources []string `json:"resources,omitempty"`
	Nodes     []Node   `json:"nodes,omitempty"` // with none, pods are all on one named "node"
	// Templates describe the placement and the life of pods, by the ID or the hash of their template.
	// Other templates need nothing.
	Templates map[string]Template `json:"templates,omitempty"`

	Deployments []deploy.Deployment     `json:"deployments,omitempty"`
	ReplicaSets []replicaset.ReplicaSet `json:"replicaSets,omitempty"`
	// ReplicationControllers have the Kind replicaset.KindController, or none.
	ReplicationControllers []replicaset.ReplicaSet       `json:"replicationControllers,omitempty"`
	Pods                   []podorder.Pod                `json:"pods,omitempty"` // without the pods of DaemonSets
	DaemonSets             []daemonset.DaemonSet         `json:"daemonSets,omitempty"`
	AdvancedDaemonSets     []AdvancedDaemonSet           `json:"advancedDaemonSets,omitempty"` // with names that no DaemonSet has
	DaemonPods             []daemonset.Pod               `json:"daemonPods,omitempty"`
	Held                   map[string]PodHold            `json:"held,omitempty"` // pods that do not go on by themselves, by name
	Revisions              []revision.ControllerRevision `json:"revisions,omitempty"`
	Sets                   []Set                         `json:"sets,omitempty"`
	Rollouts               []kruise.Rollout              `json:"rollouts,omitempty"`
	Releases               []batchrelease.Release        `json:"releases,omitempty"` // of Rollouts
	ArgoRollouts           []ArgoRollout                 `json:"argoRollouts,omitempty"`
	Services               []traffic.Service             `json:"services,omitempty"`
	Routes                 []traffic.Route               `json:"routes,omitempty"`
	Ingresses              []traffic.Ingress             `json:"ingresses,omitempty"`
	Meta                   []Meta                        `json:"meta,omitempty"` // of Deployments and DaemonSets
	Objects                []Object                      `json:"objects,omitempty"`

	Budgets []Budget `json:"budgets,omitempty"`
	Quotas  []Quota  `json:"quotas,omitempty"`

	// Unseen lists, in words for people, features of the original objects that no world supports.
	Unseen []string `json:"unseen,omitempty"`
	// Believed are the assumptions about the original pods.
	Believed []Belief `json:"believed,omitempty"`
}

// A Node is a node, with room for pods.
type Node struct {
	daemonset.Node
	Zone string `json:"zone,omitzero"`
	// Room is the amount of each resource for pods; other resources are unlimited.
	Room     []int64 `json:"room,omitempty"`
	Cordoned bool    `json:"cordoned,omitzero"` // it takes no new pods
	NotReady bool    `json:"notReady,omitzero"` // it does not answer, and its pods are not ready
	// NotReadySince is the time at which the node was found not ready; tolerationSeconds count from
	// it. Zero means the beginning of the world.
	NotReadySince time.Time `json:"notReadySince,omitzero"`
}

// An Object is an object of a kind that the caller defines. Its Spec is written by users and its Status
// by a controller; the world does not look into them.
type Object struct {
	Kind              string            `json:"kind"`
	Name              string            `json:"name"` // unique among all Objects
	UID               string            `json:"uid,omitzero"`
	ResourceVersion   string            `json:"resourceVersion,omitzero"`
	Generation        int64             `json:"generation,omitzero"` // rises with changes of Spec
	Labels            map[string]string `json:"labels,omitempty"`
	Annotations       map[string]string `json:"annotations,omitempty"`
	ControllerKind    string            `json:"controllerKind,omitzero"`
	ControllerName    string            `json:"controllerName,omitzero"`
	ControllerUID     string            `json:"controllerUID,omitzero"` // with which it goes
	CreationTimestamp time.Time         `json:"creationTimestamp,omitzero"`
	Spec              map[string]string `json:"spec,omitempty"`
	Status            map[string]string `json:"status,omitempty"`
}

// A Set is a CloneSet, or a StatefulSet of Kubernetes or OpenKruise, as in its Ref.
type Set struct {
	workload.Workload
	TemplateLabels map[string]string `json:"templateLabels,omitempty"` // of new pods
	Parallel       bool              `json:"parallel,omitzero"`        // a StatefulSet waits for no other pod
	InPlace        bool              `json:"inPlace,omitzero"`         // the new template is put into pods that run
	// ScaleUnavailable is the number of pods of a CloneSet that may be unavailable while it grows;
	// unset means no limit.
	ScaleUnavailable rollout.IntOrPercent `json:"scaleUnavailable,omitzero"`
}

// A Meta is the part of the metadata of a Deployment or a DaemonSet that Rollouts of OpenKruise
// read, and its own planner does not.
type Meta struct {
	Kind       string            `json:"kind"` // Deployment or DaemonSet
	Name       string            `json:"name"`
	Labels     map[string]string `json:"labels,omitempty"` // references to others with their namespace, as names
	Finalizers []string          `json:"finalizers,omitempty"`
	// ControllerUID is the UID of the BatchRelease that has created a canary Deployment.
	ControllerUID     string    `json:"controllerUID,omitzero"`
	CreationTimestamp time.Time `json:"creationTimestamp,omitzero"` // zero means when the world begins
}

// An AdvancedDaemonSet is a DaemonSet of OpenKruise, with its rules.
type AdvancedDaemonSet struct{ daemonset.DaemonSet }

// An ArgoRollout is a Rollout of Argo. It owns its ReplicaSets and drives no other workload. The
// ID of the [Template] of its pods is its TemplateHash. Its Services are the Services of the
// world with the names here. Analyses that have not ended follow sim.Config.Analysis.
type ArgoRollout struct {
	argo.Rollout
	UID             string            `json:"uid,omitzero"`
	ResourceVersion string            `json:"resourceVersion,omitzero"`
	TemplateLabels  map[string]string `json:"templateLabels,omitempty"` // of new pods
	MinReadySeconds int32             `json:"minReadySeconds,omitzero"`
	ActiveService   string            `json:"activeService,omitzero"` // of a blue-green update, as the next
	PreviewService  string            `json:"previewService,omitzero"`
	StableService   string            `json:"stableService,omitzero"` // of a canary, as the rest
	CanaryService   string            `json:"canaryService,omitzero"`
	PingService     string            `json:"pingService,omitzero"`
	PongService     string            `json:"pongService,omitzero"`
	Routes          []argo.Route      `json:"routes,omitempty"` // that steps have set
}

// A Budget is a PodDisruptionBudget: it limits evictions. If both limits are unset it allows
// none.
type Budget struct {
	Name           string                  `json:"name"`
	Selector       *selector.LabelSelector `json:"selector,omitempty"` // nil selects none
	MinAvailable   rollout.IntOrPercent    `json:"minAvailable,omitzero"`
	MaxUnavailable rollout.IntOrPercent    `json:"maxUnavailable,omitzero"`
}
