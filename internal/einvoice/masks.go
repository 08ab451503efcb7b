package einvoice

import "strings"

// maskCharacters stand for hidden ones. The specification says only that a key
// is masked with its first characters visible.
const maskCharacters = "*•●＊…"

// IsMasked reports whether an API key, or a secret of the settings, is masked: it holds a mask character, repeats one
// character, is in brackets, or ends with dots. A password in clear that looks so counts as masked too: to write back a
// mask would cost the secret.
func IsMasked(s string) bool {
	if strings.ContainsAny(s, maskCharacters) || strings.HasSuffix(s, "...") {
		return true
	}
	const fewest = 3 // characters of a mask
	if len(s) < fewest {
		return false
	}
	opening := strings.IndexByte("[<({", s[0])
	return strings.Trim(s, s[:1]) == "" || opening >= 0 && s[len(s)-1] == "]>)}"[opening]
}

// MaskMatchesKey reports whether a key as the service shows it begins as this key does: in clear, masked, or cut
// after its first characters. proves is false when nothing of it is visible.
func MaskMatchesKey(masked, key string) (matches, proves bool) {
	visible := masked
	if i := strings.IndexAny(masked, maskCharacters); i >= 0 {
		visible = masked[:i]
	}
	return visible != "" && strings.HasPrefix(key, visible), visible != "" && key != ""
}

// KeyMatchesMask reports whether the visible first characters of a masked key
// are those of this client's key. It is false when nothing is visible.
func (c *Client) KeyMatchesMask(masked string) bool {
	matches, proves := MaskMatchesKey(masked, c.apiKey)
	return matches && proves
}
