package httpapi

import (
	"net/http"
	"strconv"
	"strings"

	"github.com/pakli/pakli/httpapi/client"
)

// Media types of what is offered in more than one.
const (
	mediaText = "text/plain; charset=utf-8"
	mediaJSON = "application/json"
	mediaHTML = "text/html; charset=utf-8"
)

// negotiate returns the media type that the client prefers, RFC 9110 §12.5.1:
// of equal ones the first that is offered, and that too if nothing is asked for.
func negotiate(w http.ResponseWriter, r *http.Request, offers ...string) (string, error) {
	w.Header().Add("Vary", "Accept")
	ranges := strings.Join(r.Header.Values("Accept"), ",")
	if strings.TrimSpace(ranges) == "" {
		return offers[0], nil
	}
	best, most := "", 0.0
	for _, offer := range offers {
		if q := qualityOf(offer, ranges); q > most {
			best, most = offer, q
		}
	}
	if best == "" {
		return "", problem(client.NotAcceptable, "this is offered as %s", strings.Join(offers, " or "))
	}
	return best, nil
}

// qualityOf is the weight that the most specific of ranges gives to an offer.
// Parameters other than q are not looked at.
func qualityOf(offer, ranges string) (q float64) {
	media, _, _ := strings.Cut(offer, ";")
	kind, _, _ := strings.Cut(media, "/")
	specific := -1
	for item := range strings.SplitSeq(ranges, ",") {
		name, parameters, _ := strings.Cut(item, ";")
		i := indexFold(strings.TrimSpace(name), "*/*", kind+"/*", media)
		if i > specific {
			specific, q = i, weightOf(parameters)
		}
	}
	return q
}

func indexFold(s string, list ...string) int {
	for i, candidate := range list {
		if strings.EqualFold(s, candidate) {
			return i
		}
	}
	return -1
}

// weightOf reads q, which is 1 if it is not there and 0 if it is no weight.
func weightOf(parameters string) float64 {
	for p := range strings.SplitSeq(parameters, ";") {
		name, value, _ := strings.Cut(strings.TrimSpace(p), "=")
		if strings.EqualFold(name, "q") {
			q, err := strconv.ParseFloat(value, 64)
			if err != nil || !(q >= 0 && q <= 1) {
				return 0
			}
			return q
		}
	}
	return 1
}

// acceptsGzip implements what matters of Accept-Encoding, RFC 9110 §12.5.3:
// gzip is named, and not with a quality of zero.
func acceptsGzip(r *http.Request) bool {
	for item := range strings.SplitSeq(strings.Join(r.Header.Values("Accept-Encoding"), ","), ",") {
		name, parameters, _ := strings.Cut(item, ";")
		if strings.EqualFold(strings.TrimSpace(name), "gzip") {
			return weightOf(parameters) > 0
		}
	}
	return false
}
