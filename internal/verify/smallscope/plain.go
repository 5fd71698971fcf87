// SPDX-License-Identifier: Apache-2.0

package smallscope

import (
	"fmt"
	"strconv"
	"time"

	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/revision"
)

var now = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

func number(text string) int8 {
	n, err := strconv.ParseInt(text, 10, 8)
	if err != nil {
		return -1
	}
	return int8(n)
}

// podOf returns a pod of a ReplicaSet.
func podOf(owner string, i int, ready, ending bool) podorder.Pod {
	name := podName(owner, i)
	p := podorder.Pod{
		Name: name, UID: name, ControllerKind: replicaset.Kind, ControllerName: owner, ControllerUID: owner,
		CreationTimestamp: now.Add(-time.Hour), NodeName: "node", Phase: podorder.Running,
	}
	if ready {
		p.Ready, p.ReadySince = true, now.Add(-time.Minute)
	}
	if ending {
		p.DeletionTimestamp = now
	}
	return p
}

func podName(owner string, i int) string { return fmt.Sprintf("%s-%02d", owner, i) }

func templateOf(i int8) revision.Template {
	id := string('a' + rune(i))
	return revision.Template{ID: id, Hash: id}
}

func breach(property, format string, args ...any) Breach {
	return Breach{property, fmt.Sprintf(format, args...)}
}
