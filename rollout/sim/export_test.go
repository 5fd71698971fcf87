// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"github.com/kplan-go/kplan/rollout/sim/internal/apiserver"
	"github.com/kplan-go/kplan/rollout/sim/internal/controllers"
)

// Inside shows tests what a world is made of.
func (w *World) Inside() (*apiserver.Server, *controllers.Env, *controllers.Crew) {
	w.ensure()
	return w.server, w.env, w.crew
}
