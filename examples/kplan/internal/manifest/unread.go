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

// An unread object is one that cannot be read. It fails no answer about another one, unless it is
// a part of that, or releases it.
type unread struct {
	why      *Error
	uid      types.UID
	owner    types.UID // that controls it, or ""
	releases string    // the kind and the key of the workload of a Rollout or a BatchRelease, or ""
	workload bool      // it is of a kind that is planned by itself, and nobody controls it
}

// workloadRefs are where Rollouts and BatchReleases of all versions name their workload.
var workloadRefs = [][]string{
	{"spec", "workloadRef"}, {"spec", "objectRef", "workloadRef"}, {"spec", "targetReference", "workloadRef"},
}

// passOver notes an object that cannot be read. With [Source.Whole] that is told of the object.
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
// It returns an error for one that is asked about, or that what is planned cannot do without.
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

// needs reports whether an object is a part of one of the input that has pods, or releases it.
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

// firstUnread returns why the first workload cannot be read, or else err.
func (l *loader) firstUnread(err error) error {
	for _, o := range l.unread {
		if o.workload {
			return o.why
		}
	}
	return err
}
