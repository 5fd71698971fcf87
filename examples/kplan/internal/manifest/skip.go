// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/examples/kplan/internal/files"
	"github.com/kplan-go/kplan/examples/kplan/internal/spelling"
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

// skip notes that an object is passed over: by name if it is probably a mistake, and in the summary
// otherwise.
func (l *loader) skip(u *unstructured.Unstructured, file string) {
	kind, version := u.GetKind(), u.GetAPIVersion()
	text := fmt.Sprintf("%s: skipped %s", file, describe(kind, u.GetName()))
	right, known := planned[kind]
	near := nearest(kind)
	switch {
	case known && right != "" && ofKubernetes(version):
		l.notes = append(l.notes, text+of(version)+": its apiVersion is "+right)
	case known:
		l.notes = append(l.notes, text+of(version))
	case near != "" && !controllers[kind]:
		l.notes = append(l.notes, text+": did you mean "+near+"?")
	case !l.whole || !compared(u):
		count(&l.skipped, u, file)
	}
}

// of returns the words for the version of an object, which may be missing.
func of(version string) string {
	if version == "" {
		return " without an apiVersion"
	}
	return " of " + version
}

// count counts an object by its kind. It ignores objects of a cluster, which the user did not name.
func count(byKind *map[string]int, u *unstructured.Unstructured, file string) {
	if file == cluster {
		return
	}
	if *byKind == nil {
		*byKind = map[string]int{}
	}
	(*byKind)[u.GetKind()]++
}

// summarise notes the objects that were passed over without being a mistake: one line for the kinds
// with pods, and one for all others.
func (l *loader) summarise() {
	var owners, others []string
	n, skipped := 0, maps.Clone(l.skipped) // n is the number of owners
	if len(l.rollouts)+len(l.argo) == 0 && len(l.passed) > 0 {
		if skipped == nil {
			skipped = map[string]int{}
		}
		for kind, more := range l.passed {
			skipped[kind] += more
		}
	}
	for _, kind := range slices.Sorted(maps.Keys(skipped)) {
		count := skipped[kind]
		if text := numberOf(count, kind); controllers[kind] {
			owners, n = append(owners, text), n+count
		} else {
			others = append(others, text)
		}
	}
	if len(owners) > 0 {
		verb := "are"
		if n == 1 {
			verb = "is"
		}
		l.notes = append(l.notes, strings.Join(owners, ", ")+" "+verb+" not planned")
	}
	if len(others) > 0 {
		l.notes = append(l.notes, "skipped "+strings.Join(others, ", "))
	}
}

// numberOf returns a number with the name of a kind, such as 2 Ingresses.
func numberOf(n int, kind string) string {
	switch {
	case n == 1:
		return "1 " + kind
	case strings.HasSuffix(kind, "s"):
		kind += "es"
	case strings.HasSuffix(kind, "cy"):
		kind = strings.TrimSuffix(kind, "y") + "ies"
	default:
		kind += "s"
	}
	return fmt.Sprintf("%d %s", n, kind)
}

// nearest returns the kind that was probably misspelt, or "".
func nearest(kind string) string {
	for _, right := range slices.Sorted(maps.Keys(planned)) {
		if len(right) > 6 && len(kind) < 2*len(right) && spelling.Distance(kind, right) <= 2 {
			return right
		}
	}
	return ""
}
