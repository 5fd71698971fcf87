// SPDX-License-Identifier: Apache-2.0

package store

// A Kind is a kind of objects.
type Kind uint8

// The kinds.
const (
	KindDeployment Kind = iota
	KindReplicaSet
	KindPod
	KindDaemonSet
	KindNode
	KindRevision
	KindSet // a CloneSet or a StatefulSet
	KindRollout
	KindBatchRelease
	KindService
	KindRoute
	KindIngress
	KindObject // of a kind of the caller
	KindArgoRollout
	KindReplicationController
	Kinds = iota // how many there are
)

// String returns the name of the kind.
func (k Kind) String() string {
	return [Kinds]string{
		"Deployment", "ReplicaSet", "Pod", "DaemonSet", "Node", "ControllerRevision", "Set", "Rollout", "BatchRelease",
		"Service", "HTTPRoute", "Ingress", "Object", "ArgoRollout", "ReplicationController",
	}[k]
}

// A View is the version of the store up to which each kind is seen.
type View [Kinds]int64

// A Role is the part of a process or a user in a cluster.
type Role string

// The roles. A controller of the caller has its own name.
const (
	DeploymentController Role = "deployment controller"
	ReplicaSetController Role = "replica set controller"
	ReplicationManager   Role = "replication manager" // of ReplicationControllers
	DaemonSetController  Role = "daemon set controller"
	DaemonHelper         Role = "daemon helper"  // of Rollouts, for DaemonSets of Kubernetes
	SetController        Role = "set controller" // of CloneSets and StatefulSets
	RolloutController    Role = "rollout controller"
	BatchController      Role = "batch controller"
	ArgoController       Role = "argo controller"
	AnalysisController   Role = "analysis controller" // of Argo
	Scheduler            Role = "scheduler"
	Kubelet              Role = "kubelet"
	NodeController       Role = "node controller"
	Collector            Role = "garbage collector"
	User                 Role = "user"
	Monkey               Role = "monkey" // the source of faults
)

// A Verb is the kind of a request.
type Verb string

// The verbs.
const (
	Create       Verb = "create"
	Update       Verb = "update" // and patches
	UpdateStatus Verb = "update status"
	Delete       Verb = "delete" // ask for it, which only marks objects that take time
	Remove       Verb = "remove" // the object is gone
)

// A Stage is a part of the life of a pod that a write begins.
type Stage string

// The stages.
const (
	Scheduled   Stage = "scheduled"
	Pulled      Stage = "pulled"
	Started     Stage = "started"
	Ready       Stage = "ready"
	Failed      Stage = "failed"
	Evicted     Stage = "evicted"
	Terminating Stage = "terminating"
	Gone        Stage = "gone"
)
