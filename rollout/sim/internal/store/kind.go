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
	KindObject // of a kind that the user of the simulator defines
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

// A View holds, for each kind, the version of the store up to which a reader has seen it.
type View [Kinds]int64

// A Role is the role of a process or a user in a cluster, such as the writer of an object.
type Role string

// The roles. The role of a controller that the user of the simulator supplies is its name.
const (
	DeploymentController Role = "deployment controller"
	ReplicaSetController Role = "replica set controller"
	ReplicationManager   Role = "replication manager" // of ReplicationControllers
	DaemonSetController  Role = "daemon set controller"
	DaemonHelper         Role = "daemon helper"  // part of OpenKruise Rollouts that deletes old pods of native DaemonSets
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

// A Verb says what a request or a write does.
type Verb string

// The verbs.
const (
	Create       Verb = "create"
	Update       Verb = "update" // and patches
	UpdateStatus Verb = "update status"
	Delete       Verb = "delete" // request the deletion, which only marks a pod with a grace period
	Remove       Verb = "remove" // set by Table.Remove: the object has left the store
)

// A Stage is a stage in the life of a pod. A write may mark its beginning.
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
