// SPDX-License-Identifier: Apache-2.0

package daemonset_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/internal/verify/trackedtest"
)

// TestTrackerCopied: a copy by value of a Tracker panics in each method, even if nothing but Clone or
// UnmarshalJSON has written the original.
func TestTrackerCopied(t *testing.T) {
	var decoded, planned daemonset.Tracker
	require.NoError(t, json.Unmarshal([]byte("{}"), &decoded))
	_, _ = planned.Plan(t0, daemonset.Options{})
	for _, tr := range []*daemonset.Tracker{&decoded, &planned, (&daemonset.Tracker{}).Clone()} {
		trackedtest.Copied(t, "daemonset", tr)
	}
}
