// SPDX-License-Identifier: Apache-2.0

package pausepoint_test

import (
	"time"

	"github.com/kplan-go/kplan/internal/verify/random"
	"github.com/kplan-go/kplan/podorder"
)

var t0 = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// running returns an assigned, running pod that has been ready since t.
func running(uid string, t time.Time) podorder.Pod {
	return podorder.Pod{
		Name: "pod-" + uid, UID: uid, NodeName: "n1", Phase: podorder.Running,
		Ready: true, ReadySince: t, CreationTimestamp: t,
	}
}

func anyOrder(t random.T) podorder.Order {
	return podorder.New(t0.Add(100*time.Hour), podorder.Neighbours{"n1": random.Between[int32](t, "n1", 0, 2), "n2": 1})
}
