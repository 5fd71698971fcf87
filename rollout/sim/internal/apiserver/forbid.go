// SPDX-License-Identifier: Apache-2.0

package apiserver

import (
	"fmt"
	"strings"

	"github.com/kplan-go/kplan/rollout/sim/internal/store"
)

// Forbids returns why a new pod is refused, in the words of the API server; "" if it is not.
func (q *Quotas) Forbids(p *store.Pod) string {
	t := q.template(p)
	for _, of := range q.within[Namespace(p.Name)] {
		for _, r := range of.of {
			if takes, hard := r.takes(p, &t), of.Hard[r.name]; takes != 0 && takes > hard-r.others-r.used {
				return fmt.Sprintf("pods %q is forbidden: exceeded quota: %s", withoutNamespace(p.Name), withoutNamespace(of.Name))
			}
		}
	}
	return ""
}

func withoutNamespace(name string) string { return name[strings.Index(name, "/")+1:] }
