// SPDX-License-Identifier: Apache-2.0

package workload

import (
	"github.com/kplan-go/kplan/internal/base/zero"
)

// Inspect derives the input of a rollout pass from a workload. The workload's StableRevision
// and UpdateRevision are the currentRevision and updateRevision of its status; for a Deployment
// they are not read, but the hash of its template is. For an unknown kind the state is not
// consistent.
func Inspect(s InspectSnapshot) State {
	w := &s.Workload
	f := State{Ref: w.Ref, UID: w.UID}
	if w.Generation != w.Status.ObservedGeneration || !w.Ref.Known() {
		return f
	}
	f.Consistent, f.Generation, f.Replicas = true, w.Generation, w.DesiredReplicas()
	f.Labels, f.Annotations = copyText(w.Labels), copyText(w.Annotations)
	_, f.InProgress = w.Annotations[AnnotationInProgress]
	f.ProgressDeadlineSeconds = zero.Copy(deadlineOf(w))
	f.RevisionLabelKey = LabelPodTemplateHash
	kindOf(w.Ref).inspect(&f, &s)
	return f
}

// deadlineOf returns the progress deadline of a workload, or the original one if a blue-green
// release has made it infinite.
func deadlineOf(w *Workload) *int32 {
	if text := w.Annotations[AnnotationOriginalStrategy]; text != "" {
		if o := ParseOriginal(text); o.ProgressDeadlineSeconds != nil {
			return o.ProgressDeadlineSeconds
		}
	}
	return w.ProgressDeadlineSeconds
}

func copyText(m map[string]string) map[string]string {
	if len(m) == 0 {
		return nil
	}
	c := make(map[string]string, len(m))
	for key, value := range m {
		c[key] = value
	}
	return c
}
