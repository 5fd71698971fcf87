// SPDX-License-Identifier: Apache-2.0

package deploy_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/internal/verify/trackedtest"
)

// TestTrackerCopied: a copy by value of a Tracker panics in each method, even if nothing but Clone or
// UnmarshalJSON has written the original.
func TestTrackerCopied(t *testing.T) {
	var decoded, planned deploy.Tracker
	require.NoError(t, json.Unmarshal([]byte("{}"), &decoded))
	_, _ = planned.Plan(noon, deploy.Options{})
	for _, tr := range []*deploy.Tracker{&decoded, &planned, (&deploy.Tracker{}).Clone()} {
		trackedtest.Copied(t, "deploy", tr)
	}
}
