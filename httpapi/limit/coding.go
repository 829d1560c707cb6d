package limit

import (
	"net/http"
	"strconv"
	"strings"
)

// TakesCoding reports whether Accept-Encoding (RFC 9110 §12.5.3) names a coding with a weight above
// zero.
func TakesCoding(r *http.Request, coding string) bool {
	for item := range strings.SplitSeq(strings.Join(r.Header.Values("Accept-Encoding"), ","), ",") {
		name, parameters, _ := strings.Cut(item, ";")
		if strings.EqualFold(strings.TrimSpace(name), coding) {
			return WeightOf(parameters) > 0
		}
	}
	return false
}

// WeightOf returns the weight q, which is 1 by default and 0 if it is malformed.
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
