// SPDX-License-Identifier: Apache-2.0

package kube

import (
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/kplan-go/kplan/revision"
)

// A sorter sorts many maps in the same memory: a result is valid until the next call.
type sorter struct {
	keys  []string
	pairs []pair
}

type pair struct{ key, value string }

func (s *sorter) sorted(m map[string]string, withoutHash bool) []pair {
	s.pairs = s.pairs[:0]
	for k, v := range m {
		if !withoutHash || k != revision.LabelHash {
			s.pairs = append(s.pairs, pair{k, v})
		}
	}
	slices.SortFunc(s.pairs, func(a, b pair) int { return strings.Compare(a.key, b.key) })
	return s.pairs
}

func (s *sorter) names(m corev1.ResourceList) []string {
	s.keys = s.keys[:0]
	for k := range m {
		s.keys = append(s.keys, string(k))
	}
	slices.Sort(s.keys)
	return s.keys
}
