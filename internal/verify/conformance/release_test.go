// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"encoding/json"
	"os"
	"regexp"
	"strings"

	records "github.com/kplan-go/kplan/internal/verify/conformance/releases"
	"github.com/kplan-go/kplan/internal/verify/conformance/upstream"
)

// newest is the release that go.mod has, of 1.x.
const newest = 37

// releaseDifferences are the differences of older releases by default, and how they are compared.
// The README lists them for each release.
var releaseDifferences = []struct {
	before int // the first release, of 1.x, that does as ours
	name   string
	how    string
}{
	{35, "terminatingReplicas not reported", "compared with its feature gate open"},
	{35, "other words for what is wrong with labels", "compared with the words replaced"},
	{35, "no default for pullPolicy of image volumes", "compared with its feature gate open"},
	{36, "a Recreate update does not wait for owned pods that the selector leaves out", "not drawn"},
	{36, "plans from caches that are older than its own writes", "not compared: it has no record of them"},
	{37, "requests below a thousandth summed up for the pod before they are rounded", "not drawn"},
	{37, "maxUnavailable of StatefulSets without a default", "compared with its feature gate open"},
}

var inCharacters = regexp.MustCompile(`no more than (\d+) characters`)

// inBytes is a message about labels of the release that is linked, as later ones say it.
func inBytes(message string) string {
	if upstream.Minor < 35 {
		message = strings.ReplaceAll(message, "a qualified name must", "a valid label key must")
		return inCharacters.ReplaceAllString(message, "no more than $1 bytes")
	}
	return message
}

// allInBytes is inBytes of several, in place.
func allInBytes(messages []string) []string {
	for i, message := range messages {
		messages[i] = inBytes(message)
	}
	return messages
}

// record writes the extent of the comparison to the file that the environment names, see
// release.sh: the part of a record from this run, which may be of some tests only.
func record() error {
	path := os.Getenv("KPLAN_RECORD")
	if path == "" {
		return nil
	}
	r := records.Record{Kubernetes: os.Getenv("KPLAN_RELEASE"), Commit: os.Getenv("KPLAN_COMMIT"), Seed: seed, Intended: map[string]int{}}
	for _, c := range allCaseCounts {
		switch {
		case strings.HasPrefix(c.name, "whole passes"):
			r.Passes += c.cases
		case strings.HasPrefix(c.name, "carried out"), strings.HasPrefix(c.name, "chained"):
			r.Carried += c.cases
		default:
			r.Cases += c.cases
		}
		for name, n := range c.differences {
			r.Intended[name] += n
		}
	}
	for _, d := range releaseDifferences {
		if upstream.Minor < d.before {
			r.Otherwise = append(r.Otherwise, d.name+" ("+d.how+")")
		}
	}
	text, err := json.MarshalIndent(r, "", "\t")
	if err != nil {
		return err
	}
	return os.WriteFile(path, append(text, '\n'), 0o644)
}
