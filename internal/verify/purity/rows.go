// SPDX-License-Identifier: Apache-2.0

package purity

import (
	"os"
	"regexp"
	"strings"
)

// Rows returns the first words of the rows of the tables in the comment of a type: of its indented
// lines with a word, two or more blanks, and text.
func Rows(t T, file, of string) (rows []string) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("%v", err)
	}
	before, _, found := strings.Cut(string(text), "\ntype "+of+" ")
	if !found {
		t.Fatalf("%s has no type %s", file, of)
	}
	comment := before[strings.LastIndex(before, "\n\n")+1:]
	for _, m := range regexp.MustCompile(`(?m)^//\t(\S+)  +\S`).FindAllStringSubmatch(comment, -1) {
		rows = append(rows, m[1])
	}
	return rows
}
