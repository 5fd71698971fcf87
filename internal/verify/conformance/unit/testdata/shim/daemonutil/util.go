// SPDX-License-Identifier: Apache-2.0

package util

import (
	"strconv"

	apps "k8s.io/api/apps/v1"
	v1 "k8s.io/api/core/v1"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/kube"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/selector"
)

func GetTemplateGeneration(ds *apps.DaemonSet) (*int64, error) {
	ours("TemplateGeneration")
	if generation, ok := daemonset.TemplateGeneration(ds.Annotations); ok {
		return &generation, nil
	}
	return upstreamGetTemplateGeneration(ds)
}

// version returns the version that pods are compared with.
func version(hash string, generation *int64) daemonset.Version {
	annotations := map[string]string{}
	if generation != nil {
		annotations[apps.DeprecatedTemplateGeneration] = strconv.FormatInt(*generation, 10)
	}
	return daemonset.NewVersion(hash, annotations)
}

func IsPodUpdated(pod *v1.Pod, hash string, dsTemplateGeneration *int64) bool {
	ours("Version.Current")
	return version(hash, dsTemplateGeneration).Current(pod.Labels)
}

// CreatePodTemplate turns the pod that we create for a node into a template.
func CreatePodTemplate(template v1.PodTemplateSpec, generation *int64, hash string) v1.PodTemplateSpec {
	ours("NewDaemonPod")
	ds := &apps.DaemonSet{Spec: apps.DaemonSetSpec{Template: template}}
	v := version(hash, generation)
	pod := kube.NewDaemonPod(ds, daemonset.CreatePod{Node: "node", Hash: v.Hash, Generation: v.Generation})
	pod.Spec.Affinity = template.Spec.Affinity.DeepCopy()
	meta := template.ObjectMeta.DeepCopy()
	meta.Labels = pod.Labels
	return v1.PodTemplateSpec{ObjectMeta: *meta, Spec: pod.Spec}
}

func ReplaceDaemonSetPodNodeNameNodeAffinity(affinity *v1.Affinity, nodename string) *v1.Affinity {
	ours("NewDaemonPod, Pin")
	ds := &apps.DaemonSet{}
	ds.Spec.Template.Spec.Affinity = affinity
	return kube.NewDaemonPod(ds, daemonset.CreatePod{Node: nodename}).Spec.Affinity
}

func GetTargetNodeName(pod *v1.Pod) (string, error) {
	ours("TargetNode")
	var required *selector.NodeSelector
	if a := pod.Spec.Affinity; a != nil && a.NodeAffinity != nil {
		required = kube.NodeSelector(a.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution)
	}
	return daemonset.TargetNode(pod.Spec.NodeName, required)
}

func AllowsSurge(ds *apps.DaemonSet) bool {
	var surge rollout.IntOrPercent
	if r := ds.Spec.UpdateStrategy.RollingUpdate; r != nil {
		var err error
		if surge, err = kube.IntOrPercent(r.MaxSurge); err != nil {
			return false
		}
	}
	ours("SurgeAllowed")
	return daemonset.SurgeAllowed(daemonset.Strategy(ds.Spec.UpdateStrategy.Type), surge)
}
