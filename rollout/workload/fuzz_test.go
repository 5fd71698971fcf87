// SPDX-License-Identifier: Apache-2.0

package workload_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/internal/verify/purity"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/rollout/workload"
)

func FuzzInspect(f *testing.F) {
	template := func(name string) revision.Template { return revision.Template{ID: name, Hash: name} }
	w := workload.Workload{Ref: workload.Ref{APIVersion: "apps/v1", Kind: "Deployment", Name: "demo"}, Template: template("v2"), Labels: map[string]string{workload.LabelStableRevision: "v1"}, Annotations: map[string]string{workload.AnnotationInProgress: "x"}}
	sets := []workload.Set{{Name: "a", Template: template("v1"), Replicas: 3}, {Name: "b", Template: template("v2"), Replicas: 1}}
	daemon := w
	daemon.Ref = workload.Ref{APIVersion: "apps/v1", Kind: "DaemonSet", Name: "web"}
	purity.Fuzz(f, kplan.ErrInvalid, func(s workload.InspectSnapshot) (workload.State, error) { return workload.Inspect(s), nil },
		workload.InspectSnapshot{Workload: w, Style: workload.Partition, Sets: sets}, workload.InspectSnapshot{Workload: w, Style: workload.Canary, Sets: sets, CanarySets: sets},
		workload.InspectSnapshot{Workload: daemon, Revisions: []workload.DaemonSetRevision{{Revision: 2, Hash: "b"}, {Revision: 1, Hash: "a"}}})
}

// What a blue-green release has overwritten is read from any text, and written as it was
// read.
func FuzzParseOriginal(f *testing.F) {
	f.Add(`{"maxUnavailable":"25%","maxSurge":2,"minReadySeconds":5,"progressDeadlineSeconds":600}`)
	f.Fuzz(func(t *testing.T, text string) {
		o := workload.ParseOriginal(text)
		again, err := json.Marshal(o)
		require.NoError(t, err)
		require.Equal(t, o, workload.ParseOriginal(string(again)))
	})
}
