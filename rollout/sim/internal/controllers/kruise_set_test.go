// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/internal/base/ptr"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/partition"
	"github.com/kplan-go/kplan/rollout/sim/internal/apiserver"
	"github.com/kplan-go/kplan/rollout/sim/internal/store"
	"github.com/kplan-go/kplan/rollout/sim/internal/trouble"
	"github.com/kplan-go/kplan/rollout/workload"
	"github.com/kplan-go/kplan/rollout/workload/quirk"
)

var webCloneSet = workload.Ref{APIVersion: "apps.kruise.io/v1alpha1", Kind: "CloneSet", Name: "web"}

// releasingCloneSet is that of a CloneSet of a size, whose pods are all of v1 and ready.
func releasingCloneSet(t *testing.T, repair quirk.Set, replicas int32) *harness {
	h := releasing(t, 1, repair, trouble.Rates{}, newSetController)
	put(h, &h.Sets, "web", func(o *store.Set) {
		o.Ref, o.Generation, o.Replicas, o.Template, o.TemplateLabels = webCloneSet, 1, &replicas, revision.Template{ID: "v1"}, webApp
		o.RollingUpdate = &partition.RollingUpdate{MaxUnavailable: rollout.Int(2)}
	})
	h.settle()
	return h
}

func TestRolloutOfCloneSet(t *testing.T) {
	for _, repair := range []quirk.Set{0, quirk.All} {
		h := releasingCloneSet(t, repair, 10)
		canary(h, webCloneSet, steps(20, 60, 100))
		h.admit(webCloneSet, "v2")
		require.Equal(t, rollout.Percent(100), h.Sets.Get("web").Partition, "admission keeps all pods of v1")
		h.rest()
		h.pods(8, 2, "20 of 100")
		require.True(t, h.Approve())
		h.rest()
		h.pods(4, 6, "60 of 100")
		require.True(t, h.Approve())
		h.rest()
		h.pods(0, 10, "the last step asks nobody")
		require.Empty(t, h.Sets.Get("web").Annotations)
		h.finished()
	}
}

func TestRolloutOfCloneSetIsTakenBack(t *testing.T) {
	h := releasingCloneSet(t, quirk.All, 10)
	canary(h, webCloneSet, steps(20, 100))
	h.admit(webCloneSet, "v2")
	h.rest()
	h.admit(webCloneSet, "v1")
	h.rest()
	h.pods(10, 0, "nobody is asked")
	h.finished()
}

// A ref of another kind than the set names nothing.
func TestAdmitAnotherKind(t *testing.T) {
	h := releasingCloneSet(t, quirk.All, 1)
	other := workload.Ref{APIVersion: "apps/v1", Kind: "StatefulSet", Name: "web"}
	require.False(t, h.Admit(other, func(*workload.Workload) { t.Fatal("it is a CloneSet") }))
}

// A size is changed like a template, and enters no release.
func TestAdmitSize(t *testing.T) {
	h := releasingCloneSet(t, quirk.All, 3)
	canary(h, webCloneSet, steps(50, 100))
	require.True(t, h.Admit(webCloneSet, func(o *workload.Workload) { o.Replicas = ptr.To(int32(5)) }))
	h.rest()
	h.pods(5, 0, "no step holds it")
	require.EqualValues(t, 2, h.Sets.Get("web").Generation)
}

// A patch that changes nothing is no write. One by a controller that has not seen the last change is
// refused, but that of its own pass.
func TestPatchWorkload(t *testing.T) {
	h := releasingCloneSet(t, quirk.All, 3)
	c := newBatchController(h.Env, 0)
	uid, version, seen := h.Sets.Get("web").UID, h.Version(), ""
	patch := func(uid string, n int32, seen *string) apiserver.Answer {
		return h.patchWorkload(c, nil, uid, webCloneSet, &workload.Patch{Partition: rollout.Int(n)}, seen)
	}
	require.Equal(t, apiserver.Done, h.patchWorkload(c, nil, uid, webCloneSet, &workload.Patch{}, &seen))
	require.Equal(t, version, h.Version())
	require.Equal(t, apiserver.Invalid, patch("other", 1, &seen))
	require.Equal(t, apiserver.Done, patch(uid, 1, &seen))
	require.Equal(t, apiserver.Done, patch(uid, 2, &seen), "the pass has written it before")
	require.Equal(t, apiserver.Conflict, patch(uid, 3, new(string)), "another pass has not seen that")
}
