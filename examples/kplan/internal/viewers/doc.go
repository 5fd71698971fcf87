// SPDX-License-Identifier: Apache-2.0

// Package viewers opens what the command writes in the tools that it is written for: promtool,
// Perfetto's trace processor, the trace viewer of Chromium, which the Go toolchain ships, Mermaid,
// and a browser, in which it also uses the playground. It holds nothing but tests, which run if the variable KPLAN_VIEWERS
// names the folder into which the script install has put those tools.
package viewers
