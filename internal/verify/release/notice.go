// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// programs are the programs of this repository that are distributed.
var programs = []string{"./examples/kplan", "./examples/controller"}

// notice returns the text of NOTICE: the modules linked into the programs, with their
// licences.
func notice(root string) (string, error) {
	work, err := filepath.Abs(filepath.Join(root, "go.work"))
	if err != nil {
		return "", err
	}
	c := exec.Command("go", append([]string{"list", "-deps", "-f", "{{with .Module}}{{.Path}}\t{{.Version}}\t{{.Dir}}{{end}}"}, programs...)...)
	c.Dir, c.Stderr, c.Env = root, os.Stderr, append(os.Environ(), "GOWORK="+work)
	out, err := c.Output()
	if err != nil {
		return "", err
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	slices.Sort(lines)
	var b strings.Builder
	b.WriteString("kplan\nLicensed under the Apache License, Version 2.0, see LICENSE.\n\n" +
		"The planners link nothing but Go's standard library (BSD-3-Clause). The programs\n" +
		strings.Join(programs, " and ") + " link these modules:\n\n")
	for _, line := range slices.Compact(lines) {
		module := strings.Split(line, "\t")
		if len(module) != 3 || isOurs(module[0]) {
			continue
		}
		name, err := licence(module[2])
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&b, "%s %s: %s\n", module[0], module[1], name)
	}
	return b.String(), nil
}

// licences are recognized by a sentence that no other licence has. A text may contain
// several.
var licences = []struct{ name, sentence string }{
	{"Apache-2.0", "apache license version 2.0"},
	{"MPL-2.0", "mozilla public license version 2.0"},
	{"MIT", "permission is hereby granted, free of charge"},
	{"ISC", "permission to use, copy, modify, and/or distribute this software for any purpose with or without fee"},
	{"ISC", "permission to use, copy, modify, and distribute this software for any purpose with or without fee"},
	{"BSD-3-Clause", "neither the name"},
	{"BSD-3-Clause", "the names of its contributors may not be used to endorse"},
	{"BSD-2-Clause", "redistributions in binary form must reproduce"},
}

// licence returns the SPDX identifiers of the licences of the module in a folder. An
// unknown licence is an error, never a guess.
func licence(dir string) (string, error) {
	var found []string
	for _, pattern := range []string{"LICEN[CS]E*", "[Ll]icense*", "COPYING*"} {
		names, err := filepath.Glob(filepath.Join(dir, pattern))
		if err != nil {
			return "", err
		}
		for _, name := range names {
			if info, err := os.Stat(name); err == nil && info.IsDir() {
				continue // a text next to the folder says which of its licences applies
			}
			text, err := os.ReadFile(name)
			if err != nil {
				return "", err
			}
			names := identify(string(text))
			if len(names) == 0 {
				return "", fmt.Errorf("%s: a licence that is not known", name)
			}
			found = append(found, names...)
		}
	}
	slices.Sort(found)
	found = slices.Compact(found)
	if len(found) == 0 {
		return "", fmt.Errorf("%s: no licence", dir)
	}
	return strings.Join(found, " AND "), nil
}

// identify returns the licences in a text.
func identify(text string) (names []string) {
	text = strings.NewReplacer("apache license, version", "apache license version", "public license, version", "public license version").
		Replace(strings.ToLower(strings.Join(strings.Fields(text), " ")))
	for _, l := range licences {
		// The text of three clauses contains the text of two clauses.
		if strings.Contains(text, l.sentence) && !(l.name == "BSD-2-Clause" && slices.Contains(names, "BSD-3-Clause")) {
			names = append(names, l.name)
		}
	}
	return names
}
