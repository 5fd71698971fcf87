package podorder

import (
	"testing"

	"github.com/kplan-go/kplan/internal/purity"
)

// Every field of whatever is asked or answered survives JSON, but for functions.
func TestRoundTrip(t *testing.T) {
	purity.RoundTrip(t, ".", nil, Pod{}, Order{}, Explanation{})
}
