// SPDX-License-Identifier: Apache-2.0

package house

import "strings"

// published are the modules that users require, besides the core. The modules below internal are of
// this repository alone.
var published = []string{"kube", "examples/kplan", "examples/controller", "examples/fleet"}

// moduleOf returns the folder of the published module that a package belongs to, "." for the core.
func moduleOf(pkg string) string {
	for _, m := range published {
		if pkg == m || strings.HasPrefix(pkg, m+"/") {
			return m
		}
	}
	return "."
}

// checkModules keeps each published module off the internal packages of the others: users choose
// their versions one by one.
func checkModules(f file) (violations []string) {
	if f.isTest() || moduleOf(f.pkg()) == "." {
		return nil
	}
	for _, spec := range f.tree.Imports {
		target, own := ours(importPath(spec))
		if own && strings.Contains("/"+target+"/", "/internal/") && moduleOf(target) != moduleOf(f.pkg()) {
			violations = append(violations, f.at(spec.Pos(), "the module %s imports %s of another one", moduleOf(f.pkg()), target))
		}
	}
	return violations
}
