// Rules for the URL of a remote tool server, checked on its text. Addresses are checked again when they are dialled.

/** Plain HTTP is only allowed for loopback addresses in their usual spelling. */
const plainLoopback = /^http:\/\/(?:localhost|127\.\d{1,3}\.\d{1,3}\.\d{1,3}|\[::1\])(?::\d{1,5})?(?:[/?#]|$)/i

const parse = (url: string): URL | null => {
  try {
    return new URL(url)
  } catch {
    return null
  }
}

/** Null if the URL is allowed, otherwise the reason. Never repeats a credential. */
export const checkServerUrl = (url: string): string | null => {
  if (url.includes('${')) return 'the URL must not contain ${NAME}: variables are only expanded in header values'
  // A parser silently drops or rewrites these characters, so a person would read another URL than the one that is dialled.
  if (/[\s\\]/u.test(url) || /[^\x21-\x7e]/u.test(url)) return 'the URL must not contain spaces, backslashes or non-ASCII characters'
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(url)?.[1]?.toLowerCase()
  if (scheme !== 'https' && scheme !== 'http') return `the URL must use https, not ${scheme ?? 'no scheme'}`
  const parsed = /^https?:\/\/[^/]/i.test(url) ? parse(url) : null
  if (parsed === null) return 'the URL is not an absolute URL such as https://host/path'
  if (parsed.username !== '' || parsed.password !== '' || /^https?:\/\/[^/?#]*@/i.test(url))
    return 'the URL must not contain a user or password: put credentials into headers'
  if (scheme === 'http' && !(plainLoopback.test(url) && /^(?:localhost$|127\.|\[::1\]$)/.test(parsed.hostname)))
    return `the URL must use https, not http to ${parsed.hostname}: plain http is only allowed for localhost, 127.0.0.0/8 and [::1]`
  return null
}
