// SPDX-License-Identifier: Apache-2.0

// Package outside uses kplan as a user with only its modules: from a separate module outside of the
// workspace. Its test builds testdata/roller there, a planner of another project, and runs
// deploytest on it with planted bugs. README.md has a table of these bugs with the number of cases
// that each needed. The test also runs the programs on the pages of other packages.
package outside
