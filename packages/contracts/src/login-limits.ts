// Bounds of logins at remote tool servers. Sizes in bytes, times in milliseconds.
const KiB = 1024

export const loginLimits = {
  /** A login at an authorization server that was begun and not finished ends after this; so many may be open at once. */
  loginTime: 10 * 60_000,
  loginsOpen: 32,
  /** One answer of an authorization server, and one token in it. */
  authorizationAnswer: 256 * KiB,
  accessToken: 16 * KiB,
} as const
