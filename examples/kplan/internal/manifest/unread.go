// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"fmt"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/examples/kplan/internal/files"
)

// An unread object could not be read. It fails only the plans of objects that it belongs to or that
// it releases.
type unread struct {
	why      *Error
	uid      types.UID
	owner    types.UID // its controller, or ""
	releases string    // kind and key of the workload of a Rollout or BatchRelease, or ""
	workload bool      // it has no controller, and its kind is planned on its own
}

// workloadRefs are the paths of the workload in all versions of Rollouts and BatchReleases.
var workloadRefs = [][]string{
	{"spec", "workloadRef"}, {"spec", "objectRef", "workloadRef"}, {"spec", "targetReference", "workloadRef"},
}

// passOver notes an object that cannot be read. With [Source.Whole] it stores the error in the
// object.
func (l *loader) passOver(u *unstructured.Unstructured, why *Error) {
	if o := l.noted(idOf(u)); o != nil {
		o.Wrong = why
		return
	}
	o := unread{why: why, uid: u.GetUID()}
	if owner := metav1.GetControllerOfNoCopy(u); owner != nil {
		o.owner = owner.UID
	}
	for _, path := range workloadRefs {
		if ref, found, err := unstructured.NestedStringMap(u.Object, path...); found && err == nil {
			o.releases = ref["kind"] + " " + key(&metav1.ObjectMeta{Namespace: u.GetNamespace(), Name: ref["name"]})
		}
	}
	o.workload = o.owner == "" && (Applied[kindOf(u)] || u.GetKind() == "Rollout")
	l.unread = append(l.unread, o)
}

// settle notes the objects that cannot be read, and counts the manifests of workloads among them.
// It returns an error if such an object was asked for, or if a planned object needs it.
func (l *loader) settle(only []types.UID, nothing bool) (skipped int, err error) {
	for _, o := range l.unread {
		if nothing && o.workload || slices.Contains(only, o.uid) || l.needs(&o) {
			return 0, o.why
		}
		where := o.why.File + ": "
		if o.why.File == cluster {
			where = ""
		}
		l.notes = append(l.notes, fmt.Sprintf("%sskipped %s: %s", where, o.why.Object, files.Cause(o.why)))
		if o.workload && o.uid == "" {
			skipped++
		}
	}
	return skipped, nil
}

// needs reports whether an object that cannot be read belongs to a workload of the input, or
// releases it.
func (l *loader) needs(o *unread) (yes bool) {
	see := func(kind string, h head) {
		yes = yes || o.owner != "" && o.owner == h.uid || o.releases == kind+" "+h.key()
	}
	for _, s := range l.deployments {
		see("Deployment", s.object.head)
	}
	for _, s := range slices.Concat(l.replicaSets, l.controllers) {
		see("ReplicaSet", s.object.head)
	}
	for _, s := range l.daemonSets {
		see(daemonset.Kind, headOf(s.object.Object))
	}
	for _, s := range l.argo {
		see("Rollout", headOf(s.object))
	}
	for _, s := range l.cloneSets {
		see("CloneSet", headOf(s.object))
	}
	for _, s := range l.statefuls {
		see("StatefulSet", headOf(s.object))
	}
	for _, s := range l.advanced {
		see("StatefulSet", headOf(s.object))
	}
	return yes
}

// firstUnread returns the error of the first workload that cannot be read, or else err.
func (l *loader) firstUnread(err error) error {
	for _, o := range l.unread {
		if o.workload {
			return o.why
		}
	}
	return err
}
