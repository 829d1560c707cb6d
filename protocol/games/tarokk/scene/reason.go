package scene

import (
	"slices"
	"strings"

	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/game/shared"
	"github.com/pakli/pakli/protocol/games/tarokk"
	"github.com/pakli/pakli/protocol/scene"
)

// Reason implements scene.Advising. A move that had to be made has no reason.
func (Presentation) Reason(a gamePosition, m tarokk.Move) scene.Note {
	switch {
	case m.Knock != nil || m.Packet != nil:
		return scene.Say("reason.packet")
	case m.Claim != nil:
		return scene.Say("reason.claim")
	case m.Wish != nil:
		return scene.Say("reason.wish")
	case m.Call != nil && *m.Call == tarokk.PassCall:
		return scene.Say("reason.bid.weak")
	case m.Call != nil:
		return scene.Say("reason.bid")
	case m.Annul != nil && *m.Annul == "":
		return scene.Say("reason.annul.play")
	case m.Annul != nil:
		return scene.Say("reason.annul")
	case m.Discard != nil:
		return scene.Say("reason.discard")
	case m.Say != nil:
		return scene.Say("reason.say." + speechReason(m.Say.Turn))
	case m.Play != nil:
		return scene.Say("reason.play." + playReason(a, m.Play.Face))
	}
	return scene.Note{}
}

// speechReason is the kind of statement that a turn of announcements is about.
func speechReason(turn []string) string {
	for _, kind := range []string{"contra", "compulsory", "fig", "count", "call"} {
		if slices.ContainsFunc(turn, func(text string) bool { return strings.HasPrefix(text, kind+":") }) {
			return kind
		}
	}
	return "pass"
}

// playReason is the bot's main reason for a card.
func playReason(a gamePosition, name string) string {
	f, _ := tarokk.ParseFace(name)
	var faces []card.Face
	if tricks := a.State.Deal.Tricks; len(tricks) > 0 && len(tricks[len(tricks)-1].Faces) < players {
		for _, lies := range tricks[len(tricks)-1].Faces {
			face, _ := tarokk.ParseFace(lies)
			faces = append(faces, face)
		}
	}
	faces = append(faces, f)
	switch favour, hunt, lead := rules.PlayOutlook(a.State, a.View, f); {
	case hunt > 0:
		return "hunt"
	case len(faces) == 1 && lead > 0 && tarokk.IsTarokk(f):
		return "draw"
	case len(faces) == 1 && lead > 0:
		return "friend"
	case len(faces) == 1:
		return "lead"
	case favour <= 0:
		return "cheap"
	case shared.TrickWinner(tarokk.TrickRules{}, faces) == len(faces)-1:
		return "take"
	}
	return "give"
}
