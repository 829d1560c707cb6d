package notify

// What tests see besides.
var (
	Sign         = sign // of a webhook
	Encrypt      = encrypt
	RefuseInside = refuseInside
	Words        = words
	Tell         = (*PushSender).tell
)

// MaxFlying is the maximum number of messages in transit to one push service.
const MaxFlying = maxFlying
