// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kplan-go/kplan/examples/kplan/internal/spelling"
)

// skip notes that an object is passed over: by name if it is probably a mistake, and in the summary
// otherwise.
func (l *loader) skip(u *unstructured.Unstructured, file string) {
	kind, version := u.GetKind(), u.GetAPIVersion()
	text := fmt.Sprintf("%s: skipped %s", file, describe(kind, u.GetName()))
	right, known := planned[kind]
	near := nearest(kind)
	switch {
	case known && right != "" && ofKubernetes(version):
		l.notes = append(l.notes, text+of(version)+": its apiVersion is "+right)
	case known:
		l.notes = append(l.notes, text+of(version))
	case near != "" && !controllers[kind]:
		l.notes = append(l.notes, text+": did you mean "+near+"?")
	case !l.whole || !compared(u):
		count(&l.skipped, u, file)
	}
}

// of returns the words for the version of an object, which may be missing.
func of(version string) string {
	if version == "" {
		return " without an apiVersion"
	}
	return " of " + version
}

// count counts an object by its kind. It ignores objects of a cluster, which the user did not name.
func count(byKind *map[string]int, u *unstructured.Unstructured, file string) {
	if file == cluster {
		return
	}
	if *byKind == nil {
		*byKind = map[string]int{}
	}
	(*byKind)[u.GetKind()]++
}

// summarise notes the objects that were passed over without being a mistake: one line for the kinds
// with pods, and one for all others.
func (l *loader) summarise() {
	var owners, others []string
	n, skipped := 0, maps.Clone(l.skipped) // n is the number of owners
	if len(l.rollouts)+len(l.argo) == 0 && len(l.passed) > 0 {
		if skipped == nil {
			skipped = map[string]int{}
		}
		for kind, more := range l.passed {
			skipped[kind] += more
		}
	}
	for _, kind := range slices.Sorted(maps.Keys(skipped)) {
		count := skipped[kind]
		if text := numberOf(count, kind); controllers[kind] {
			owners, n = append(owners, text), n+count
		} else {
			others = append(others, text)
		}
	}
	if len(owners) > 0 {
		verb := "are"
		if n == 1 {
			verb = "is"
		}
		l.notes = append(l.notes, strings.Join(owners, ", ")+" "+verb+" not planned")
	}
	if len(others) > 0 {
		l.notes = append(l.notes, "skipped "+strings.Join(others, ", "))
	}
}

// numberOf returns a number with the name of a kind, such as 2 Ingresses.
func numberOf(n int, kind string) string {
	switch {
	case n == 1:
		return "1 " + kind
	case strings.HasSuffix(kind, "s"):
		kind += "es"
	case strings.HasSuffix(kind, "cy"):
		kind = strings.TrimSuffix(kind, "y") + "ies"
	default:
		kind += "s"
	}
	return fmt.Sprintf("%d %s", n, kind)
}

// nearest returns the kind that was probably misspelt, or "".
func nearest(kind string) string {
	for _, right := range slices.Sorted(maps.Keys(planned)) {
		if len(right) > 6 && len(kind) < 2*len(right) && spelling.Distance(kind, right) <= 2 {
			return right
		}
	}
	return ""
}
