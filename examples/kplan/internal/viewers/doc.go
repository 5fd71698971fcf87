// SPDX-License-Identifier: Apache-2.0

// Package viewers opens the output of the command in the tools that it is written for: promtool,
// Perfetto's trace processor, the trace viewer of Chromium, which the Go toolchain ships,
// Mermaid, and a browser, where it also uses the playground. It has only tests. They run if the
// variable KPLAN_VIEWERS names the folder with the tools, which the script install puts there.
package viewers
