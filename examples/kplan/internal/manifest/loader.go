// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kplan-go/kplan/examples/kplan/internal/packed"
	kubeargo "github.com/kplan-go/kplan/kube/argo"
	kubekruise "github.com/kplan-go/kplan/kube/kruise"
	"github.com/kplan-go/kplan/rollout/batchrelease"
)

// A loader sorts objects by kind.
type loader struct {
	deployments []source[heldDeployment]
	replicaSets []source[heldSet]
	controllers []source[heldSet] // ReplicationControllers, converted
	packer      *packed.Packer
	pods        []source[corev1.Pod]
	daemonSets  []source[DaemonSet]
	nodes       []source[corev1.Node]
	revisions   []source[appsv1.ControllerRevision]
	argo        []source[kubeargo.RolloutObject]
	alike       alike
	byNamespace map[string]*namespace
	elsewhere   []*corev1.Pod // pods of a source that was read before
	selected    selected
	keep        bool
	whole       bool
	objects     []Object
	absent      []string
	running     Running
	notes       []string
	unread      []unread
	skipped     map[string]int // by kind
	latest      latest
	admission   Admission
	progressive
	failures
	*limitObjects // a separate object, so that workloads keep only this part of the loader
}

// progressive are the objects that only Rollouts use.
type progressive struct {
	rollouts  []source[storedRollout]
	releases  []source[namespaced[batchrelease.Release]]
	cloneSets []source[kubekruise.CloneSetObject]
	statefuls []source[appsv1.StatefulSet]
	advanced  []source[kubekruise.AdvancedStatefulSetObject]
	services  []source[corev1.Service]
	ingresses []source[networkingv1.Ingress]
	routes    []source[kubekruise.HTTPRouteObject]
	routings  []source[trafficRouting]

	passed map[string]int // by kind: number of objects that are passed over without a Rollout
}

// A trafficRouting is a TrafficRouting with the fields that Rollouts use.
type trafficRouting struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`

	Status struct {
		Phase string `json:"phase"`
	} `json:"status"`
}
