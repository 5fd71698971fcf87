package selector_test

import (
	"testing"

	"github.com/kplan-go/kplan/internal/purity"
	"github.com/kplan-go/kplan/selector"
)

// Every field of whatever is asked or answered survives JSON.
func TestRoundTrip(t *testing.T) {
	purity.RoundTrip(t, ".", nil,
		selector.LabelSelector{}, selector.NodeSelector{}, selector.Preference{}, selector.Quirk{},
		selector.Condition{}, selector.Event{}, selector.Hold[string]{})
}
