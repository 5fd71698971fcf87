// SPDX-License-Identifier: Apache-2.0

package subject

import (
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/examples/kplan/internal/manifest"
	"github.com/kplan-go/kplan/examples/kplan/internal/world"
	"github.com/kplan-go/kplan/kube"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/rollout/argo"
)

// rolledOut returns the assumptions about a running object if some of its objects are not in the
// input. It returns an error if the status of the object does not say that it has been rolled
// out, because its state is then unknown.
func rolledOut(m manifest.Missing, kind string, finished bool) ([]string, error) {
	switch {
	case m == "":
		return nil, nil
	case !finished:
		return nil, fmt.Errorf("%w. By its status it has not been rolled out, so nobody knows where it stands", m.Err(kind))
	}
	return []string{fmt.Sprintf("the %s has been rolled out, as its status says: its %s are not in the input", kind, m)}, nil
}

// deploymentRolledOut calls rolledOut for a Deployment, which may be nil.
func deploymentRolledOut(old *manifest.Workload) ([]string, error) {
	if old == nil || old.Missing() == "" {
		return nil, nil
	}
	d, err := kube.Deployment(old.Deployment)
	if err != nil {
		return nil, old.Invalid(err)
	}
	replicas := int32(1)
	if d.Replicas != nil {
		replicas = *d.Replicas
	}
	notes, err := rolledOut(old.Missing(), "Deployment", deploy.Complete(d.Status, replicas, d.Generation))
	if err != nil {
		return nil, old.Invalid(err)
	}
	return notes, nil
}

// daemonRolledOut calls rolledOut for a DaemonSet, which may be nil.
func daemonRolledOut(old *manifest.DaemonSet) ([]string, error) {
	if old == nil || old.Missing() == "" || len(old.Controlled()) > 0 {
		return nil, nil
	}
	notes, err := rolledOut(old.Missing(), "DaemonSet", daemonFinished(old.Object))
	if err != nil {
		return nil, old.Invalid(err)
	}
	return notes, nil
}

func daemonFinished(d *appsv1.DaemonSet) bool {
	s := &d.Status
	return s.ObservedGeneration >= d.Generation && s.UpdatedNumberScheduled == s.DesiredNumberScheduled && s.NumberAvailable == s.DesiredNumberScheduled
}

// argoRolledOut calls rolledOut for an Argo Rollout, which may be nil.
func argoRolledOut(old *manifest.ArgoRollout) ([]string, error) {
	if old == nil {
		return nil, nil
	}
	s := &old.Object.Status
	notes, err := rolledOut(old.Missing(), "Rollout", s.Phase == argo.PhaseHealthy && s.StableRS == s.CurrentPodHash)
	if err != nil {
		return nil, old.Invalid(err)
	}
	return notes, nil
}

// setRolledOut calls rolledOut for a CloneSet or a StatefulSet.
func setRolledOut(old *manifest.PodSet) ([]string, error) {
	s := &old.Set.Status
	notes, err := rolledOut(old.Missing(), old.Set.Kind, s.UpdatedReplicas == s.Replicas && s.ReadyReplicas == s.Replicas)
	if err != nil {
		return nil, old.Invalid(err)
	}
	return notes, nil
}

// renumber sets the revision of a Deployment that has been rolled out to the revision in its
// annotation.
func renumber(b *world.Beginning, old *manifest.Workload) {
	if !b.Earlier {
		return
	}
	number := old.Deployment.Annotations[revision.AnnotationRevision]
	if _, err := revision.Number(old.Deployment.Annotations); err == nil && number != "" {
		b.Renumber(number)
	}
}

// An Immutable error names a field that the API server does not allow to change.
type Immutable struct{ field, file string }

// Error returns the field, and the file with the other value.
func (i *Immutable) Error() string {
	return i.field + ": must not change, and differs from that in " + i.file
}

// sameSelector returns an error if a selector differs from the selector of the old workload.
func sameSelector(old, now *metav1.LabelSelector, file string) error {
	if equality.Semantic.DeepEqual(old, now) {
		return nil
	}
	return &Immutable{"spec.selector", file}
}
