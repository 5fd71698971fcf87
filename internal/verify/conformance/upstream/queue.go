// SPDX-License-Identifier: Apache-2.0

package upstream

import (
	"time"

	"k8s.io/client-go/util/workqueue"
)

// A Requeue is a further pass that a controller has requested.
type Requeue struct {
	After       time.Duration
	RateLimited bool
}

// A queue records requested passes, and never hands one out.
type queue struct {
	workqueue.TypedRateLimitingInterface[string] // nil

	added []Requeue
	asked bool // a pass at once
}

func (q *queue) Add(string) { q.asked = true }

func (q *queue) AddAfter(_ string, after time.Duration) {
	q.added = append(q.added, Requeue{After: after})
}

func (q *queue) AddRateLimited(string) { q.added = append(q.added, Requeue{RateLimited: true}) }

func (q *queue) ShutDown() {}
