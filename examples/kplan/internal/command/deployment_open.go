// SPDX-License-Identifier: Apache-2.0

package command

import (
	"fmt"

	"github.com/kplan-go/kplan/examples/kplan/internal/manifest"
	"github.com/kplan-go/kplan/rollout/workload"
)

// opened opens a Deployment and the Deployment that runs before it. It returns the latter, or
// nil.
func (s *settings) opened(w *manifest.Workload, from *earlier) *manifest.Workload {
	w.Open()
	if w.Deployment.Annotations[workload.AnnotationInProgress] != "" {
		s.tell(fmt.Sprintf("%s: %s is released by a Rollout that is not in the input, and goes only as far as that has let it", w.File, w.Name()))
	}
	old := from.deployments[w.Key()]
	s.startsFromNothing(old == nil, w.File, w.Name())
	if old != nil {
		old.Open()
	}
	return old
}
