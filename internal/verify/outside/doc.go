// SPDX-License-Identifier: Apache-2.0

// Package outside uses kplan as somebody does who has only its modules: from a module of
// their own, outside of the workspace. Its test builds testdata/roller there, a planner that
// somebody else wrote, and lets deploytest find the bugs that are planted into it. README.md
// has them as a table, with how many cases each needed. The programs that pages show are run
// there, too.
package outside
