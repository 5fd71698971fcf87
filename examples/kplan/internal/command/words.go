// SPDX-License-Identifier: Apache-2.0

package command

import (
	"fmt"
)

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
