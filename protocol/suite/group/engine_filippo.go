//go:build filippo

package group

import engine "github.com/pakli/pakli/protocol/suite/group/internal/filippo"

type (
	point       = engine.Point
	engineTable = engine.Table
)

var newEngineTable = engine.NewTable
