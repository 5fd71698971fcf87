// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
)

// duringUpdate is a lease that calls a function while it is written.
type duringUpdate struct {
	lock
	call func()
}

func (d duringUpdate) Update(context.Context, resourcelock.LeaderElectionRecord) error {
	d.call()
	return nil
}

// The next leader may have the lease before the answer to giving it back is here.
func TestLeaseGivenBack(t *testing.T) {
	l := &lease{duration: time.Minute}
	var held []bool
	l.Interface = duringUpdate{call: func() { held = append(held, l.held()) }}
	for _, holder := range []string{"me", "me", ""} {
		require.NoError(t, l.Update(t.Context(), resourcelock.LeaderElectionRecord{HolderIdentity: holder}))
	}
	require.Equal(t, []bool{false, true, false}, held)
}
