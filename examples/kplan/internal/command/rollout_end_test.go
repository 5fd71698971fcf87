// SPDX-License-Identifier: Apache-2.0

package command

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kplan-go/kplan/rollout/kruise"
	"github.com/kplan-go/kplan/rollout/kruise/reason"
)

// editRollout changes fields of the objects of a release that waits for a person in step 2 of 3.
type editRollout = func(map[string][]*unstructured.Unstructured)

func setIn(kind string, value any, path ...string) editRollout {
	return func(o map[string][]*unstructured.Unstructured) { set(value, path...)(o[kind][0]) }
}

// A release that ends before its last step waits for nobody who would confirm a step, and it is
// said what becomes of the other pods, and by which quirk.
func TestReleaseThatEndsWaitsForNobody(t *testing.T) {
	const when = "2026-03-03T09:00:00Z"
	const finishes = ", and all other pods get the template that is wanted at once, without pauses (DeletionFinishesRelease)."
	deleted, disabled := setIn("Rollout", when, "metadata", "deletionTimestamp"), setIn("Rollout", true, "spec", "disabled")
	both := func(edits ...editRollout) editRollout {
		return func(o map[string][]*unstructured.Unstructured) {
			for _, edit := range edits {
				edit(o)
			}
		}
	}
	notTaken := both(func(o map[string][]*unstructured.Unstructured) {
		delete(o, "BatchRelease")
		annotations := o["Deployment"][0].GetAnnotations()
		delete(annotations, "batchrelease.rollouts.kruise.io/control-info")
		o["Deployment"][0].SetAnnotations(annotations)
	}, deleted)
	rolledBack := func(o map[string][]*unstructured.Unstructured) {
		template, _, err := unstructured.NestedMap(o["ReplicaSet"][0].Object, "spec", "template")
		require.NoError(t, err)
		unstructured.RemoveNestedField(template, "metadata", "labels", "pod-template-hash")
		set(template, "spec", "template")(o["Deployment"][0])
	}
	for _, c := range []struct {
		why   string
		edit  editRollout
		flags []string
		state string
		want  string
	}{
		{"deleted", deleted, nil, "progressing", "The Rollout is being deleted" + finishes},
		{"disabled", disabled, nil, "progressing", "The Rollout is disabled" + finishes},
		{"repaired", deleted, []string{"--repair", "DeletionFinishesRelease"}, "progressing", "The Rollout is being deleted, and the workload stays where it stands."},
		{"before anything was taken over", notTaken, nil, "progressing", "The Rollout is being deleted before the release has begun, and the workload stays held back until somebody resumes it (RollbackLeavesPaused)."},
		{"closing has begun", both(deleted, setIn("Rollout", "Terminating", "status", "phase")), nil, "progressing", "The Rollout is being deleted" + finishes},
		{"the workload is deleted", setIn("Deployment", when, "metadata", "deletionTimestamp"), nil, "waiting", "The Deployment is being deleted, and its release ends with it."},
		{"rolled back", rolledBack, nil, "progressing", "The workload has been rolled back: the release is cancelled, and all pods get the template back, without pauses."},
	} {
		text := objectsIn(t, progressive+"approval.yaml", c.edit)
		args := append(at("explain", "-f", "-"), c.flags...)
		stdout := inWords(succeed(t, text, args...))
		require.Contains(t, stdout, c.want, c.why)
		require.Contains(t, stdout, "Rollout default/web is "+c.state+". ", c.why)
		require.NotContains(t, stdout, "a person has to confirm", c.why)
		if c.why == "the workload is deleted" {
			continue // which the planner does not see
		}
		plan := succeed(t, text, append(at("plan", "-f", "-", "-o", "json"), c.flags...)...)
		require.NotContains(t, plan, string(reason.Approval), c.why)
	}
	idle := objectsIn(t, progressive+"healthy.yaml", deleted)
	require.NotContains(t, inWords(succeed(t, idle, at("explain", "-f", "-")...)), "other pods", "nothing is released")
	going := inWords(succeed(t, nil, at("explain", "-f", progressive+"approval.yaml")...))
	require.Contains(t, going, "a person has to confirm step 2 of 3")
}

// A third template that comes while a step waits is known, though no status tells of it yet: the
// release begins anew with it, and a person thinks about each of its steps for as long as about
// any other.
func TestThirdTemplateBeforeItsStatus(t *testing.T) {
	third := objectsIn(t, progressive+"approval.yaml", func(o map[string][]*unstructured.Unstructured) {
		set(int64(8), "metadata", "generation")(o["Deployment"][0])
		set(int64(90), "spec", "template", "spec", "terminationGracePeriodSeconds")(o["Deployment"][0])
	})
	var r releaseJSON
	require.NoError(t, json.Unmarshal([]byte(succeed(t, third, at("simulate", "-f", "-", "-o", "json")...)), &r))
	require.True(t, r.Done)
	fresh, old := r.Steps[len(r.Steps)-1].sizes()
	require.Equal(t, []int32{6, 0}, []int32{fresh, old})
	var since, until float64
	for _, s := range r.Steps {
		fresh, _ := s.sizes()
		switch waits := s.Step == 2 && s.State == kruise.StatePaused && fresh == 3; {
		case waits && since == 0:
			since = s.Time
		case !waits && since > 0 && until == 0:
			until = s.Time
		}
	}
	require.InDelta(t, 300, until-since, 1)

	unseen := strings.Replace(string(releasing(t, "StatefulSet", creatingPod)), "  generation: 3\n", "  generation: 4\n", 1)
	code, _, stderr := run([]byte(unseen), "simulate", "-f", "-")
	require.Equal(t, exitFailure, code)
	require.Contains(t, stderr, `StatefulSet "guestbook": status.observedGeneration: 3: its controller has yet to see generation 4, and to name its template; that takes seconds`)
}

// kubectl refuses to undo a paused Deployment and says to resume it, which takes it from the Rollout
// that has paused it.
func TestUndoNamesTheRolloutThatPaused(t *testing.T) {
	code, _, stderr := run(nil, at("undo", "-f", progressive+"approval.yaml")...)
	require.Equal(t, exitFailure, code)
	require.Contains(t, stderr, "you cannot rollback a paused deployment; resume it first with 'kubectl rollout resume' and try again; "+
		"Rollout web has paused it for its release: apply the template that is to come back, and it rolls back")
	_, _, stderr = run(nil, at("undo", "-f", live+"/paused-idle.yaml")...)
	require.NotContains(t, stderr, "Rollout")
}
