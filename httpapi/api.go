package httpapi

import "github.com/pakli/pakli/httpapi/limit"

// The routes by what they are about, each with what it alone keeps. All else they have of the Server.
type (
	logAPI   struct{ *Server }
	offerAPI struct{ *Server }
	pageAPI  struct{ *Server }
	eventAPI struct {
		*tableAPI
		notices *limit.Addresses
	}
	postAPI struct {
		*Server
		events    *eventAPI
		departs   bool          // decisions that depart from the method of their event are taken
		posting   *limit.Shares // posts that are answered
		attaching *attachments
		creates   *limit.Addresses
	}
	tableAPI struct {
		*Server
		rows     rowCache
		ofEvents tablesOf
		bundling chan struct{} // held while a bundle is made
		bundles  *answerCache
	}
)
