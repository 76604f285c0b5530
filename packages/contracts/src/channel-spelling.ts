// The one spelling of each address and person of a channel: names are compared and stored in it. Text that no rule fits stays as it is.

/** `toLowerCase` also turns some letters outside ASCII into letters of ASCII, such as the Kelvin sign into `k`. */
export const lowerASCII = (text: string): string => text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase())

/** Written as it is into headers and envelopes, so nothing else is an address. */
const mailAddress = /^[a-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?$/

/** In canonical form. */
export const isMailAddress = (text: string): boolean => mailAddress.test(text)

export const canonicalMailAddress = (text: string): string => {
  const lower = lowerASCII(text)
  return isMailAddress(lower) ? lower : text
}

/** Every id has a digit; a word has none. */
export const canonicalSlackID = (text: string): string => (/^(?=.*\d)[CDGUW][A-Z0-9]{6,}$/i.test(text) ? text.toUpperCase() : text)

export const canonicalTelegramID = (text: string): string => (/^[+-]?\d{1,40}$/.test(text) ? String(BigInt(text.replace('+', ''))) : text)

const unreserved = /^[A-Za-z0-9._~-]$/

/** RFC 3986, section 6.2.2: `%7e` and `~` are the same. A `%` that begins no escape is one itself. */
const plainEscapes = (text: string): string =>
  text.replaceAll(/%(?![0-9A-Fa-f]{2})/g, '%25').replaceAll(/%([0-9A-Fa-f]{2})/g, (escape, hex: string) => {
    const character = String.fromCharCode(Number.parseInt(hex, 16))
    return unreserved.test(character) ? character : escape.toUpperCase()
  })

/** As it is requested: the fragment is not, and an empty query asks for the same. */
export const canonicalURL = (text: string): string => {
  const url = /^https?:\/\//i.test(text) ? URL.parse(text) : null
  if (url === null) return text
  url.hash = ''
  if (url.search === '') url.search = ''
  url.hostname = url.hostname.replace(/\.$/, '')
  url.pathname = plainEscapes(url.pathname)
  url.search = plainEscapes(url.search)
  return url.href
}
