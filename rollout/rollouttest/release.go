// SPDX-License-Identifier: Apache-2.0

package rollouttest

import (
	"time"

	"pgregory.net/rapid"

	"github.com/kplan-go/kplan/internal/verify/invariant"
	"github.com/kplan-go/kplan/internal/verify/properties"
	"github.com/kplan-go/kplan/rollout/batchrelease"
	"github.com/kplan-go/kplan/rollout/kruise"
	"github.com/kplan-go/kplan/rollout/traffic"
	"github.com/kplan-go/kplan/rollout/workload"
)

// A View is the true state of a release of OpenKruise at one moment.
type View struct {
	At       time.Time
	Rollout  kruise.Rollout
	Release  *batchrelease.Release // nil if there is none
	Workload workload.Workload
	Traffic  traffic.Objects
	New, Old int32 // pods that are wanted, of the template that is wanted and of others
	// NewReady is the number of ready pods of the wanted template, Available of all available
	// pods.
	NewReady, Available int32
}

// A Release is the release of a Deployment by partition, as one view after each pass of any
// controller.
type Release struct {
	Views   []View
	Options kruise.Options // with quirk.All, nothing is excused
	// Fair means that pods become available, pauses are approved, and the last view was taken
	// long after the last change of a spec.
	Fair bool
	// Strict also reports violations that a known quirk of OpenKruise explains.
	Strict bool
	// Only, if it is not empty, and Except select checks by their names, see README.md. An unknown
	// name fails the test.
	Only, Except []string
}

// CheckRelease checks a release as a whole: batches grow, bounds hold in every view, and the
// release ends with one template.
func CheckRelease(t rapid.TB, r Release) {
	t.Helper()
	release := invariant.Release{Options: r.Options, Fair: r.Fair, Strict: r.Strict}
	for _, v := range r.Views {
		release.Views = append(release.Views, invariant.ReleaseView(v))
	}
	properties.Decided(t, releases, &release, r, properties.Choice{Only: r.Only, Except: r.Except})
}
