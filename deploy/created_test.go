package deploy_test

import (
	"math"
	"testing"

	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/internal/purity"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestAfterCreate(t *testing.T) {
	foreign := set(2, 1, controlled("other"))
	other := set(7, 1, func(rs *replicaset.ReplicaSet) { rs.Name = "web-v2" })
	twin := set(2, 1)
	collided := func(n int32) func(*deploy.Deployment) {
		return func(d *deploy.Deployment) { d.Status.CollisionCount = &n }
	}
	for _, c := range []struct {
		why        string
		d          deploy.Deployment
		sets       []replicaset.ReplicaSet
		outcome    deploy.CreateOutcome
		want       string
		collisions *int32
		retry      bool
	}{
		{"it worked: the plan supposed so", web(3), nil, deploy.CreateOutcome{Result: deploy.Created}, "", nil, false},
		{"the namespace goes", web(3), nil, deploy.CreateOutcome{Result: deploy.NamespaceTerminating}, "", nil, false},
		{"taken, by whom is not known yet", web(3), nil, deploy.CreateOutcome{Result: deploy.AlreadyExists}, "", nil, true},
		{"taken by a stranger", web(3), []replicaset.ReplicaSet{foreign}, deploy.CreateOutcome{Result: deploy.AlreadyExists}, "", new(int32(1)), true},
		{"taken by another template", web(3, collided(4)), []replicaset.ReplicaSet{other}, deploy.CreateOutcome{Result: deploy.AlreadyExists}, "", new(int32(5)), true},
		{"the count ends", web(3, collided(math.MaxInt32)), []replicaset.ReplicaSet{other}, deploy.CreateOutcome{Result: deploy.AlreadyExists}, "", new(int32(math.MaxInt32)), true},
		{"it is the one", web(3), []replicaset.ReplicaSet{twin}, deploy.CreateOutcome{Result: deploy.AlreadyExists}, "annotate deployment", nil, true},
	} {
		s := deploy.Snapshot{Deployment: c.d, ReplicaSets: c.sets}
		p, retry, err := deploy.AfterCreate(s, t0, deploy.Options{}, deploy.CreateReplicaSet{Name: "web-v2", Revision: 3}, c.outcome)
		require.NoError(t, err, c.why)
		requireEqual(t, c.why, c.want, actions(p))
		requireEqual(t, c.why, c.collisions, p.Status.CollisionCount)
		requireEqual(t, c.why, c.retry, retry)
		require.Empty(t, p.Events, c.why)
	}
}

func TestAfterCreateFailed(t *testing.T) {
	failed := deploy.CreateOutcome{Result: deploy.CreateFailed, Message: "boom"}
	text := `Failed to create new replica set "foo-686d984dd": boom`
	create := deploy.CreateReplicaSet{Name: "foo-686d984dd"}
	p, retry, err := deploy.AfterCreate(snapshot(web(3, deadline(60))), t0, deploy.Options{}, create, failed)
	require.NoError(t, err)
	require.True(t, retry)
	c := condition(p.Status, deploy.ConditionProgressing)
	require.Equal(t, []string{"False", "ReplicaSetCreateError", text}, []string{string(c.Status), c.Reason, c.Message})
	requireEqual(t, "the event", []deploy.Event{{Type: "Warning", Reason: "ReplicaSetCreateError", Message: text}}, p.Events)
	require.Equal(t, []string{"foo-686d984dd CreateFailed 0/0"}, holds(p))

	p, _, err = deploy.AfterCreate(snapshot(web(3)), t0, deploy.Options{}, create, failed)
	require.NoError(t, err)
	require.Empty(t, p.Status.Conditions, "without a deadline there is no condition")
	require.Len(t, p.Events, 1)
}

func TestAfterCreateErrors(t *testing.T) {
	_, _, err := deploy.AfterCreate(deploy.Snapshot{}, t0, deploy.Options{}, deploy.CreateReplicaSet{}, deploy.CreateOutcome{Result: deploy.Created})
	require.ErrorIs(t, err, deploy.ErrInvalid)
	_, _, err = deploy.AfterCreate(snapshot(web(3)), t0, deploy.Options{}, deploy.CreateReplicaSet{}, deploy.CreateOutcome{Result: "Odd"})
	require.EqualError(t, err, `CreateOutcome.Result: "Odd": must be one of the results`)
}

// TestPropertyAfterCreatePure: what follows a creation is as pure as the plan.
func TestPropertyAfterCreatePure(t *testing.T) {
	check(t, func(t *rapid.T) {
		o := deploy.CreateOutcome{
			Result:  rapid.SampledFrom([]deploy.CreateResult{deploy.Created, deploy.AlreadyExists, deploy.NamespaceTerminating, deploy.CreateFailed}).Draw(t, "result"),
			Message: "boom",
		}
		a := deploy.CreateReplicaSet{Name: rapid.SampledFrom([]string{"web-v1", "web-v2", "web-v9"}).Draw(t, "name"), Revision: 3}
		purity.Check(t, anything(t), func(s deploy.Snapshot) (deploy.Plan, error) {
			p, _, err := deploy.AfterCreate(s, t0, deploy.Options{}, a, o)
			return p, err
		}, "ReplicaSets", "Pods")
	})
}
