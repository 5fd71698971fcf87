// SPDX-License-Identifier: Apache-2.0

// Package chaos disturbs a simulated cluster while faults strike: it deletes pods and lets them
// fail, stops nodes and controllers, and lets time pass while requests are under way. It leaves
// the wanted state alone, and ends when the world is healed.
package chaos
