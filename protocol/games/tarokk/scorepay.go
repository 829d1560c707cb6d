package tarokk

import (
	"fmt"

	"github.com/pakli/pakli/protocol/card"
)

// ActivePlayers is the number of players of a deal.
const ActivePlayers = 4

// DealerSeat is the place in [Payments] of the member who deals and sits out.
const DealerSeat = ActivePlayers

// Payments are what each member wins: the seats A to D, then the fifth member, who has nothing at a
// table of four. They sum to zero (R-PAY-6), if the [Pool] is counted as one more account.
type Payments [ActivePlayers + 1]int

// Plus adds two payments of the same deal.
func (p Payments) Plus(q Payments) Payments {
	for i := range p {
		p[i] += q[i]
	}
	return p
}

// Times multiplies by the multiplier of the round (R-PAY-7, AMB-20).
func (p Payments) Times(m int) Payments {
	for i := range p {
		p[i] *= m
	}
	return p
}

// transfer moves n points between two places.
func (p *Payments) transfer(from, to, n int) {
	p[from] -= n
	p[to] += n
}

// fromOthers moves n points from each other player to seat.
func (p *Payments) fromOthers(seat, n int) {
	for other := range ActivePlayers {
		p.transfer(other, seat, n)
	}
}

// PayDeal is what V costs and brings: one loser pays one winner (R-PAY-1), and a declarer alone settles
// with each opponent (R-PAY-2). Under OPT-DEALER-WEEPS a declarer alone also settles with the dealer
// (AMB-26).
func PayDeal(r RuleSet, d PlayedDeal, v int) Payments {
	var p Payments
	for seat := range ActivePlayers {
		if d.SideOf(seat) == DeclarerSide {
			p[seat] = v
		} else {
			p[seat] = -v
		}
	}
	if d.Partner == NoPartner {
		p[d.Declarer] = 3 * v
	}
	if r.DealerWeeps {
		p.transfer(DealerSeat, d.Declarer, v)
	}
	return p
}

// countValue is what one player pays for eight or nine tarokks (R-CNT-2).
func countValue(tarokks int) int { return tarokks - 7 }

func isCount(tarokks int) bool { return tarokks == 8 || tarokks == 9 }

// CountPay is R-PAY-3: counts holds what each seat announced, 8, 9 or nothing.
func CountPay(counts [ActivePlayers]int) Payments {
	var p Payments
	for seat, n := range counts {
		if isCount(n) {
			p.fromOthers(seat, countValue(n))
		}
	}
	return p
}

// TrialPayments is what a declarer who drew no honour pays (R-PAY-4, BGA-6). With an ultimó pool he
// pays only into the pool: see [Pool.TrialLost].
func TrialPayments(r RuleSet, level, declarer int) Payments {
	var p Payments
	if !r.UltimoPool {
		p.fromOthers(declarer, -map[TrialPays]int{PaysBase: BaseValue(level), PaysTwo: 2}[r.TrialPays])
	}
	return p
}

// ForfeitPayments is what an inviter who cannot show the card pays
// (OPT-CONV-COMMIT): as much as for a lost trial.
func ForfeitPayments(level, inviter int) Payments {
	var p Payments
	p.fromOthers(inviter, -BaseValue(level))
	return p
}

// TalonFee is OPT-TALON-HONOUR-FEE: a player who drew an honour pays the dealer, who sits out. drawn
// are the cards that each seat drew. Nobody can forget the fee, so it is never paid double.
func TalonFee(r RuleSet, drawn [ActivePlayers]card.Set) Payments {
	var p Payments
	if !r.TalonFee {
		return p
	}
	for seat, cards := range drawn {
		for honour, fee := range map[card.Face]int{Skiz: 3, XXI: 2, Pagat: 1} {
			if cards.Has(honour) {
				p.transfer(seat, DealerSeat, fee)
			}
		}
	}
	return p
}

// LateTarokks is what decides, after the play of a deal, whether a player who held eight or nine
// tarokks and did not announce them may claim them (R-CNT-5).
type LateTarokks struct {
	PlayedDeal
	V         int                // of the deal, before the multiplier
	Tarokks   [ActivePlayers]int // by seat, the number among the nine cards it played
	Announced [ActivePlayers]int // counts, as in CountPay
}

// CheckClaim says why seat may not claim its tarokks. It claims them only from its partners, and, as
// the option late-count has it, only if its gain in the deal covers what each partner pays (AMB-19).
func (l LateTarokks) CheckClaim(r RuleSet, seat int) error {
	gain := l.V
	if l.SideOf(seat) == DefenderSide {
		gain = -gain
	}
	switch n, name := l.Tarokks[seat], 'A'+seat; {
	case r.LateCount == LateNever:
		return fmt.Errorf("R-CNT-5: with late-count=never %c may not claim tarokks after play", name)
	case !isCount(n):
		return fmt.Errorf("R-CNT-5: %c had %d tarokks, and not 8 or 9", name, n)
	case l.Announced[seat] != 0:
		return fmt.Errorf("R-CNT-5: %c has announced a count already", name)
	case seat == l.Declarer && l.Partner == NoPartner:
		return fmt.Errorf("R-CNT-5: %c played alone and has no partner who could pay", name)
	case r.LateCount == LateCovered && gain < countValue(n):
		return fmt.Errorf("R-CNT-5: %c gained %d in this deal, which does not cover the claim of %d (AMB-19)", name, gain, countValue(n))
	}
	return nil
}

// Claimants are the seats that may claim.
func (l LateTarokks) Claimants(r RuleSet) []int {
	seats := []int{}
	for seat := range ActivePlayers {
		if l.CheckClaim(r, seat) == nil {
			seats = append(seats, seat)
		}
	}
	return seats
}

// ClaimPayments is what a claim allowed by [LateTarokks.CheckClaim] brings: each partner pays.
func (l LateTarokks) ClaimPayments(seat int) Payments {
	var p Payments
	for other := range ActivePlayers {
		if l.SideOf(other) == l.SideOf(seat) {
			p.transfer(other, seat, countValue(l.Tarokks[seat]))
		}
	}
	return p
}
