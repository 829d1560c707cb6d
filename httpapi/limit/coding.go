package limit

import (
	"net/http"
	"strconv"
	"strings"
)

// TakesCoding reports what matters of Accept-Encoding, RFC 9110 §12.5.3: a coding is named, and not with a weight of zero.
func TakesCoding(r *http.Request, coding string) bool {
	for item := range strings.SplitSeq(strings.Join(r.Header.Values("Accept-Encoding"), ","), ",") {
		name, parameters, _ := strings.Cut(item, ";")
		if strings.EqualFold(strings.TrimSpace(name), coding) {
			return WeightOf(parameters) > 0
		}
	}
	return false
}

// WeightOf reads q, which is 1 if it is not there and 0 if it is no weight.
func WeightOf(parameters string) float64 {
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
