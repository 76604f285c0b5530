// The one spelling of each place and person of a channel: names are compared and stored in it alone. What no rule fits stays as it is.
import * as v from 'valibot'
import { limits } from './limits.ts'

export const channels = ['slack', 'telegram', 'email', 'webhook'] as const
export const Channel = v.picklist(channels)
export type ChannelName = (typeof channels)[number]

/** `toLowerCase` also turns some letters outside ASCII into letters of ASCII, such as the Kelvin sign into `k`. */
export const lowerASCII = (text: string): string => text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase())

/** Written as it is into headers and envelopes, so nothing else is an address. */
const mailAddress = /^[a-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?$/

/** In canonical form. */
export const isMailAddress = (text: string): boolean => mailAddress.test(text)

const mailName = (text: string): string => {
  const lower = lowerASCII(text)
  return isMailAddress(lower) ? lower : text
}

/** Every id has a digit; a word has none. */
const slackName = (text: string): string => (/^(?=.*\d)[CDGUW][A-Z0-9]{6,}$/i.test(text) ? text.toUpperCase() : text)

const telegramName = (text: string): string => (/^[+-]?\d{1,40}$/.test(text) ? String(BigInt(text.replace('+', ''))) : text)

const unreserved = /^[A-Za-z0-9._~-]$/

/** RFC 3986, section 6.2.2: `%7e` and `~` are the same. A `%` that begins no escape is one itself. */
const plainEscapes = (text: string): string =>
  text.replaceAll(/%(?![0-9A-Fa-f]{2})/g, '%25').replaceAll(/%([0-9A-Fa-f]{2})/g, (escape, hex: string) => {
    const character = String.fromCharCode(Number.parseInt(hex, 16))
    return unreserved.test(character) ? character : escape.toUpperCase()
  })

/** As it is requested: the fragment is not, and an empty query asks for the same. */
const urlName = (text: string): string => {
  const url = /^https?:\/\//i.test(text) ? URL.parse(text) : null
  if (url === null) return text
  url.hash = ''
  if (url.search === '') url.search = ''
  url.hostname = url.hostname.replace(/\.$/, '')
  url.pathname = plainEscapes(url.pathname)
  url.search = plainEscapes(url.search)
  return url.href
}

interface Spelling {
  readonly address: (text: string) => string
  readonly user: (text: string) => string
}

const same = (text: string): string => text

const spellings: Readonly<Record<ChannelName, Spelling>> = {
  slack: { address: slackName, user: slackName },
  telegram: { address: telegramName, user: telegramName },
  email: { address: mailName, user: mailName },
  webhook: { address: urlName, user: same },
}

export const canonicalAddress = (channel: ChannelName, text: string): string => spellings[channel].address(text)

export const canonicalUser = (channel: ChannelName, text: string): string => spellings[channel].user(text)

/** Patterns of wirings, as they may be: read by a machine that takes time in proportion to text times pattern, and small enough
 * that this is little. Repeats are counted before they are unfolded: a short pattern can stand for a very long one. */
const repeats = /\{(\d{0,9}),?(\d{0,9})/g

const isSmall = (pattern: string): boolean => {
  const counts = [...pattern.matchAll(repeats)].map(([, least, most]) => Math.max(Number(least), Number(most)))
  return counts.reduce((sum, count) => sum + count, 0) <= limits.channelPatternSteps
}

/** Null where it cannot be read, or is too costly to be tried on what anybody writes. */
export const boundedPattern = <M extends { programSize(): number }>(pattern: string, compile: (pattern: string) => M): M | null => {
  if (!isSmall(pattern)) return null
  try {
    const machine = compile(pattern)
    return machine.programSize() <= limits.channelPatternSteps ? machine : null
  } catch {
    return null
  }
}
