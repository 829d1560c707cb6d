package httpapi

import (
	"net/http"

	"github.com/pakli/pakli/httpapi/client"
)

// getLogs serves the list of the operator's logs, as the operator has signed it
// (docs/spec/67-logs.md).
func (s *logAPI) getLogs(w http.ResponseWriter, r *http.Request) error {
	signed := s.logs()
	if signed == nil {
		return problem(client.NotFound, "this operator lists no logs")
	}
	w.Header().Set("Content-Type", mediaText)
	w.Header().Set("Cache-Control", "no-cache")
	return s.reads.serveTagged(w, r, signed, tagOf(signed))
}
