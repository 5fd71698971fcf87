// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"strconv"
	"time"

	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/replicaset"
)

// newPod returns a pod of rs. Its name is made of the number of its UID, so that both ascend:
// planners compare those of neighbours.
func newPod(rs *replicaSet, prefix string, number int, now time.Time) podorder.Pod {
	text := strconv.Itoa(number)
	both := prefix + text + rs.Name + nameSuffix(text) // side by side in memory
	uid := len(prefix) + len(text)
	return podorder.Pod{
		Name: both[uid:], UID: both[:uid], Labels: rs.TemplateLabels, ControllerKind: replicaset.Kind, ControllerName: rs.Name,
		ControllerUID: rs.UID, CreationTimestamp: now, Phase: podorder.Pending,
	}
}

// podOf makes a new pod of a ReplicaSet, with a name that is free. Those that were made here
// differ by their numbers, whether they are listed or not.
func (w *World) podOf(rs *replicaSet, p *podorder.Pod) {
	for {
		w.serial++
		*p = newPod(rs, w.uidPrefix, w.serial, w.now)
		if _, ok := w.store.pods.names[p.Name]; !ok {
			return
		}
	}
}
