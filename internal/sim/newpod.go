// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"strconv"
	"strings"
	"time"

	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/revision"
)

// uidPrefix is what the UIDs of new objects begin with in a [Cluster]. Their number follows.
const uidPrefix = "sim-"

// Serial returns the number in a UID that a fleet has given, 0 if it has not.
func Serial(uid string) (n int) {
	digits, ok := strings.CutPrefix(uid, uidPrefix)
	if !ok || digits == "" || digits[0] == '0' || len(digits) > 9 {
		return 0
	}
	for _, c := range []byte(digits) {
		if c < '0' || c > '9' {
			return 0
		}
		n = 10*n + int(c-'0')
	}
	return n
}

// newPod returns a pod of rs. Its name is made of the number of its UID, so that both ascend:
// planners compare those of neighbours.
func newPod(rs *replicaSet, prefix string, number int, now time.Time) podorder.Pod {
	text := strconv.Itoa(number)
	both := prefix + text + rs.Name + "-" + revision.SafeEncode("00000"[min(len(text), 5):]+text) // side by side in memory
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
