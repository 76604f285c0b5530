// Canonical spelling of channel addresses and users, used for comparison and storage; unrecognized text is left unchanged. Also patterns of
// wirings: regular expressions with a bounded cost, because anyone's messages are matched against them.
import { limits } from './limits.ts'

/** Unlike `toLowerCase`, never turns a non-ASCII letter into an ASCII one, such as the Kelvin sign into `k`. */
export const lowerASCII = (text: string): string => text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase())

/** Strict, because addresses are written into headers and envelopes unescaped. */
const mailAddress = /^[a-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?$/

/** Whether the text is a mail address in canonical form. */
export const isMailAddress = (text: string): boolean => mailAddress.test(text)

export const canonicalMailAddress = (text: string): string => {
  const lower = lowerASCII(text)
  return isMailAddress(lower) ? lower : text
}

/** Slack ids contain a digit, unlike words. */
export const canonicalSlackID = (text: string): string => (/^(?=.*\d)[CDGUW][A-Z0-9]{6,}$/i.test(text) ? text.toUpperCase() : text)

export const canonicalTelegramID = (text: string): string => (/^[+-]?\d{1,40}$/.test(text) ? String(BigInt(text.replace('+', ''))) : text)

const unreserved = /^[A-Za-z0-9._~-]$/

/** RFC 3986, section 6.2.2: `%7e` and `~` are equal. A `%` without hex digits is escaped. */
const normalizeEscapes = (text: string): string =>
  text.replaceAll(/%(?![0-9A-Fa-f]{2})/g, '%25').replaceAll(/%([0-9A-Fa-f]{2})/g, (escape, hex: string) => {
    const character = String.fromCharCode(Number.parseInt(hex, 16))
    return unreserved.test(character) ? character : escape.toUpperCase()
  })

/** The URL as requested: without fragment and empty query. */
export const canonicalURL = (text: string): string => {
  const url = /^https?:\/\//i.test(text) ? URL.parse(text) : null
  if (url === null) return text
  url.hash = ''
  if (url.search === '') url.search = ''
  url.hostname = url.hostname.replace(/\.$/, '')
  url.pathname = normalizeEscapes(url.pathname)
  url.search = normalizeEscapes(url.search)
  return url.href
}

/** Repeats are counted before they are expanded: a short pattern can stand for a very long one. */
const repeats = /\{(\d{0,9}),?(\d{0,9})/g

const isSmall = (pattern: string): boolean => {
  const counts = [...pattern.matchAll(repeats)].map(([, minimum, maximum]) => Math.max(Number(minimum), Number(maximum)))
  return counts.reduce((sum, count) => sum + count, 0) <= limits.channelPatternSteps
}

/** Compiles a pattern with an engine whose time is linear in the text. Null if the pattern is invalid or too large. */
export const boundedPattern = <M extends { programSize(): number }>(pattern: string, compile: (pattern: string) => M): M | null => {
  if (!isSmall(pattern)) return null
  try {
    const machine = compile(pattern)
    return machine.programSize() <= limits.channelPatternSteps ? machine : null
  } catch {
    return null
  }
}
