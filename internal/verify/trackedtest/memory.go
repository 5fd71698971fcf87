// SPDX-License-Identifier: Apache-2.0

package trackedtest

import "runtime"

// InUse returns the bytes of memory in use after a garbage collection.
func InUse() float64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&m)
	return float64(m.HeapAlloc)
}
