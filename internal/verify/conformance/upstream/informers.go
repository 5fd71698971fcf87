// SPDX-License-Identifier: Apache-2.0

package upstream

import (
	appsinformers "k8s.io/client-go/informers/apps/v1"
	coreinformers "k8s.io/client-go/informers/core/v1"
	appslisters "k8s.io/client-go/listers/apps/v1"
	corelisters "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/cache"
)

type deploymentInformer struct{ *informer }

var _ appsinformers.DeploymentInformer = deploymentInformer{}

func (i deploymentInformer) Informer() cache.SharedIndexInformer { return i.informer }
func (i deploymentInformer) Lister() appslisters.DeploymentLister {
	return appslisters.NewDeploymentLister(i.x)
}

type replicaSetInformer struct{ *informer }

var _ appsinformers.ReplicaSetInformer = replicaSetInformer{}

func (i replicaSetInformer) Informer() cache.SharedIndexInformer { return i.informer }
func (i replicaSetInformer) Lister() appslisters.ReplicaSetLister {
	return appslisters.NewReplicaSetLister(i.x)
}

type podInformer struct{ *informer }

var _ coreinformers.PodInformer = podInformer{}

func (i podInformer) Informer() cache.SharedIndexInformer { return i.informer }
func (i podInformer) Lister() corelisters.PodLister       { return corelisters.NewPodLister(i.x) }

type controllerInformer struct{ *informer }

var _ coreinformers.ReplicationControllerInformer = controllerInformer{}

func (i controllerInformer) Informer() cache.SharedIndexInformer { return i.informer }
func (i controllerInformer) Lister() corelisters.ReplicationControllerLister {
	return corelisters.NewReplicationControllerLister(i.x)
}

type daemonSetInformer struct{ *informer }

var _ appsinformers.DaemonSetInformer = daemonSetInformer{}

func (i daemonSetInformer) Informer() cache.SharedIndexInformer { return i.informer }
func (i daemonSetInformer) Lister() appslisters.DaemonSetLister {
	return appslisters.NewDaemonSetLister(i.x)
}

type revisionInformer struct{ *informer }

var _ appsinformers.ControllerRevisionInformer = revisionInformer{}

func (i revisionInformer) Informer() cache.SharedIndexInformer { return i.informer }
func (i revisionInformer) Lister() appslisters.ControllerRevisionLister {
	return appslisters.NewControllerRevisionLister(i.x)
}

type nodeInformer struct{ *informer }

var _ coreinformers.NodeInformer = nodeInformer{}

func (i nodeInformer) Informer() cache.SharedIndexInformer { return i.informer }
func (i nodeInformer) Lister() corelisters.NodeLister      { return corelisters.NewNodeLister(i.x) }
