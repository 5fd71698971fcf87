package rollout_test

import (
	"testing"

	"github.com/kplan-go/kplan/internal/purity"
	"github.com/kplan-go/kplan/rollout"
)

func FuzzArgoReconcile(f *testing.F) {
	set := func(hash string, revision int64, replicas int32) rollout.ArgoReplicaSet {
		return rollout.ArgoReplicaSet{Name: hash, Hash: hash, Revision: revision, ArgoSet: rollout.ArgoSet{Replicas: replicas, AvailableReplicas: replicas, StatusReplicas: replicas}}
	}
	canary := rollout.ArgoSnapshot{
		Rollout: rollout.ArgoObject{Name: "web", Replicas: new(int32(5)), TemplateHash: "v2", Steps: []rollout.ArgoStep{weight(20), argoPause(-1)}},
		Sets:    []rollout.ArgoReplicaSet{set("v1", 1, 5), set("v2", 2, 1)},
	}
	blueGreen := canary
	blueGreen.Rollout.BlueGreen = &rollout.ArgoPreview{}
	blueGreen.Active = &rollout.ArgoService{Name: "active", Selector: map[string]string{rollout.ArgoHashLabel: "v1"}}
	purity.Fuzz(f, rollout.ArgoErrInvalid, func(s rollout.ArgoSnapshot) (rollout.ArgoPlan, error) { return planArgo(s, now) }, canary, blueGreen)
}
