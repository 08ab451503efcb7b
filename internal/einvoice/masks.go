package einvoice

import "strings"

// maskCharacters stand for hidden ones. The specification says only that a key
// is masked with its first characters visible.
const maskCharacters = "*•●＊…"

// IsMasked reports whether an API key, or a secret of the settings (csc,
// password), is shown masked. A password in clear that holds a mask character
// counts as masked too: refusing to write back a real secret costs a sentence,
// writing back a mask costs the secret.
func IsMasked(s string) bool { return strings.ContainsAny(s, maskCharacters) }

// MaskMatchesKey compares a key as the service shows it with a whole key: the
// visible first characters must be those of key, and a key shown whole must be
// equal. proves is false when nothing is visible, and then matches says nothing.
func MaskMatchesKey(masked, key string) (matches, proves bool) {
	visible := masked
	i := strings.IndexAny(masked, maskCharacters)
	if i >= 0 {
		visible = masked[:i]
	}
	if visible == "" || key == "" {
		return false, false
	}
	if i < 0 {
		return masked == key, true
	}
	return strings.HasPrefix(key, visible), true
}

// KeyMatchesMask reports whether the visible first characters of a masked key
// are those of this client's key. It is false when nothing is visible.
func (c *Client) KeyMatchesMask(masked string) bool {
	matches, proves := MaskMatchesKey(masked, c.apiKey)
	return matches && proves
}
