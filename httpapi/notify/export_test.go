package notify

// What tests see besides.
var (
	Sign         = sign // of a webhook
	Encrypt      = encrypt
	RefuseInside = refuseInside
	Words        = words
	Tell         = (*PushSender).tell
)

// MaxFlying is how many messages to one push service are under way.
const MaxFlying = maxFlying
