// SPDX-License-Identifier: Apache-2.0

package replicaset_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/internal/verify/trackedtest"
	"github.com/kplan-go/kplan/replicaset"
)

// TestTrackerCopied: a copy by value of a Tracker panics in each method, even if nothing but Clone or
// UnmarshalJSON has written the original.
func TestTrackerCopied(t *testing.T) {
	var decoded, planned replicaset.Tracker
	require.NoError(t, json.Unmarshal([]byte("{}"), &decoded))
	_, _ = planned.Plan(t0, replicaset.Options{})
	for _, tr := range []*replicaset.Tracker{&decoded, &planned, (&replicaset.Tracker{}).Clone()} {
		trackedtest.Copied(t, "replicaset", tr)
	}
}
