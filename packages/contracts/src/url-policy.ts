// Which url a remote tool server may have, judged by its text alone. Addresses are judged again when they are dialled.

/** Plain http is for this machine alone, spelled in a way that a person reads as such. */
const plainLoopback = /^http:\/\/(?:localhost|127\.\d{1,3}\.\d{1,3}\.\d{1,3}|\[::1\])(?::\d{1,5})?(?:[/?#]|$)/i

const parse = (url: string): URL | null => {
  try {
    return new URL(url)
  } catch {
    return null
  }
}

/** Null when the url is fine, else what was expected and what was got. Never repeats a credential. */
export const checkServerUrl = (url: string): string | null => {
  if (url.includes('${')) return 'expected no ${NAME} in the url: only values of headers may name a variable'
  // A parser would drop or turn these silently, so that a person reads another url than the one that is dialled.
  if (/[\s\\]/u.test(url) || /[^\x21-\x7e]/u.test(url)) return 'expected a url without spaces, backslashes or characters outside ASCII'
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(url)?.[1]?.toLowerCase()
  if (scheme !== 'https' && scheme !== 'http') return `expected https, got ${scheme ?? 'no scheme'}`
  const parsed = /^https?:\/\/[^/]/i.test(url) ? parse(url) : null
  if (parsed === null) return 'expected an absolute url such as https://host/path, got one that cannot be read'
  if (parsed.username !== '' || parsed.password !== '' || /^https?:\/\/[^/?#]*@/i.test(url))
    return 'expected no user or password in the url: put credentials into headers'
  if (scheme === 'http' && !(plainLoopback.test(url) && /^(?:localhost$|127\.|\[::1\]$)/.test(parsed.hostname)))
    return `expected https, got http to ${parsed.hostname}: plain http is for localhost, 127.0.0.0/8 and [::1] alone`
  return null
}
