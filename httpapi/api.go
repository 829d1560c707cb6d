package httpapi

// The routes by what they are about, each with what it alone keeps. All else they have of the Server.
type (
	logAPI   struct{ *Server }
	offerAPI struct{ *Server }
	eventAPI struct{ *tableAPI }
	tableAPI struct {
		*Server
		rows     rowCache
		ofEvents tablesOf
		bundling chan struct{} // held while a bundle is made
		bundles  *answerCache
	}
)
