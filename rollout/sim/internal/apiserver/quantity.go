// SPDX-License-Identifier: Apache-2.0

package apiserver

import (
	"strconv"
	"strings"
)

var (
	decimalUnits = []string{"k", "M", "G", "T", "P", "E"}
	binaryUnits  = []string{"Ki", "Mi", "Gi", "Ti", "Pi", "Ei"}
)

// quantity writes an amount as Kubernetes does. CPU is in thousandths. Bytes are written in units
// of 1000 or 1024, whichever is shorter, because the original unit is unknown.
func quantity(resource string, n int64) string {
	switch resource {
	case "cpu", "requests.cpu", "limits.cpu":
		if n%1000 != 0 {
			return strconv.FormatInt(n, 10) + "m"
		}
		return inUnits(n/1000, 1000, decimalUnits)
	}
	decimal := inUnits(n, 1000, decimalUnits)
	if !strings.HasSuffix(resource, "memory") && !strings.HasSuffix(resource, "storage") && !strings.Contains(resource, "hugepages-") {
		return decimal
	}
	if binary := inUnits(n, 1024, binaryUnits); len(binary) <= len(decimal) {
		return binary
	}
	return decimal
}

// inUnits writes a number in the largest unit of which it is a whole multiple.
func inUnits(n, base int64, units []string) string {
	unit := ""
	for i := 0; n != 0 && n%base == 0 && i < len(units); i++ {
		n, unit = n/base, units[i]
	}
	return strconv.FormatInt(n, 10) + unit
}
