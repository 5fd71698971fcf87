// SPDX-License-Identifier: Apache-2.0

package trackedtest

import "runtime"

// InUse returns how many bytes of memory are in use, once what is garbage has gone.
func InUse() float64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&m)
	return float64(m.HeapAlloc)
}
