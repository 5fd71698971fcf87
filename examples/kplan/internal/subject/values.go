// SPDX-License-Identifier: Apache-2.0

package subject

import (
	"fmt"
	"time"

	"github.com/spf13/pflag"

	"github.com/kplan-go/kplan/examples/kplan/internal/manifest"
)

var (
	_ pflag.Value = new(Instant)
	_ pflag.Value = new(Delay)
)

// An Instant is a point in time, or unset.
type Instant struct{ time.Time }

// Type returns the name of the value in help texts.
func (i *Instant) Type() string { return "time" }

func (i *Instant) String() string {
	if i.IsZero() {
		return ""
	}
	return i.Format(time.RFC3339)
}

// Set accepts the form of the Kubernetes API.
func (i *Instant) Set(s string) error {
	t, err := time.Parse(time.RFC3339, s)
	if err != nil || !manifest.Plausible(t) {
		return fmt.Errorf("must be a time such as 2026-01-02T15:04:05Z, from 1970 to 2199")
	}
	i.Time = t
	return nil
}

// A Delay is a duration that is not negative.
type Delay time.Duration

// Type returns the name of the value in help texts.
func (d *Delay) Type() string   { return "duration" }
func (d *Delay) String() string { return time.Duration(*d).String() }

// Set accepts durations such as 1m30s, up to ten years.
func (d *Delay) Set(s string) error {
	v, err := time.ParseDuration(s)
	if err != nil || v < 0 || v > 10*365*24*time.Hour {
		return fmt.Errorf("must be a duration such as 10s or 1m30s, of at most ten years")
	}
	*d = Delay(v)
	return nil
}
