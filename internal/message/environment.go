package message

// The environment variables that stand in for arguments.
const (
	EnvBaseURL           = "EINVOICE_BASE_URL"
	EnvAPIKey            = "EINVOICE_API_KEY"
	EnvRequestsPerMinute = "EINVOICE_REQUESTS_PER_MINUTE"
	EnvRequestsPerSecond = "EINVOICE_REQUESTS_PER_SECOND"
	EnvCacheDir          = "EINVOICE_CACHE_DIR"
)
