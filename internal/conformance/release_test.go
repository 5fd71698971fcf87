// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"encoding/json"
	"os"
	"regexp"
	"strings"

	records "github.com/kplan-go/kplan/internal/conformance/releases"
	"github.com/kplan-go/kplan/internal/conformance/upstream"
)

// newest is the release that go.mod has, of 1.x.
const newest = 37

// releaseDifferences are what older releases do otherwise by default, and how it is
// compared. They are what the README says of each release.
var releaseDifferences = []struct {
	before int // the release, of 1.x, that does as ours
	name   string
	how    string
}{
	{35, "terminatingReplicas not reported", "compared with its feature gate open"},
	{35, "lengths of labels counted in characters, in messages", "compared with the word replaced"},
	{36, "a Recreate update does not wait for owned pods that the selector leaves out", "not drawn"},
	{36, "plans from caches that are older than its own writes", "not compared: it has no record of them"},
	{37, "annotations of former init containers dropped", "not drawn"},
	{37, "maxUnavailable of StatefulSets without a default", "compared with its feature gate open"},
}

var inCharacters = regexp.MustCompile(`no more than (\d+) characters`)

// inBytes is a message of the release that is linked, as later ones say it.
func inBytes(message string) string {
	if upstream.Minor < 35 {
		return inCharacters.ReplaceAllString(message, "no more than $1 bytes")
	}
	return message
}

// record writes what was compared to the file that the environment names, see release.sh:
// the part of a record that this run, which may be of some tests only, contributes.
func record() error {
	path := os.Getenv("KPLAN_RECORD")
	if path == "" {
		return nil
	}
	r := records.Record{Kubernetes: os.Getenv("KPLAN_RELEASE"), Seed: seed, Intended: map[string]int{}}
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
