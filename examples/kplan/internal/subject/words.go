// SPDX-License-Identifier: Apache-2.0

package subject

import (
	"fmt"
)

// noted returns notes about an object, each after its name.
func noted(name string, texts []string) []string {
	notes := make([]string, len(texts))
	for i, text := range texts {
		notes[i] = name + ": " + text
	}
	return notes
}

func podsText(n int) string {
	if n == 1 {
		return "1 pod"
	}
	return fmt.Sprintf("%d pods", n)
}

func verb(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}
