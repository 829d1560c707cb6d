package client

// Followed returns how many tables are kept.
func (c *Client) Followed() int { return len(c.followed) }
