// What the mail server of the unit says of a sender (RFC 8601). Only its own word counts, and of that only the last one it said,
// which is the first in the message: a sender can write such a header too, further down.

export interface Verdict {
  readonly method: string
  readonly result: string
  /** By `type.property`, such as `header.d`, in lower case. */
  readonly properties: Readonly<Record<string, string>>
}

/** No server writes as much; a sender can. */
const longestHeader = 16 * 1024

/** Comments go, quoted words stay; undefined where a comment or a quote never ends, or a backslash stands in neither. */
const withoutComments = (text: string): string | undefined => {
  let [kept, depth, quoted] = ['', 0, false]
  for (let at = 0; at < text.length; at += 1) {
    const char = text.charAt(at)
    if (char === '\\') {
      // What it does to a quote or a semicolon behind it, programs read in two ways.
      if (depth === 0 && !quoted) return undefined
      if (depth === 0) kept += text.slice(at, at + 2)
      at += 1
    } else if (quoted || (char === '"' && depth === 0)) {
      if (char === '"') quoted = !quoted
      kept += char
    } else if (char === '(') depth += 1
    else if (char === ')' && depth > 0) depth -= 1
    else if (depth === 0) kept += char
  }
  return depth === 0 && !quoted ? kept : undefined
}

/** Parts between semicolons that stand in no quotes. */
const partsOf = (text: string): string[] => text.match(/(?:"(?:\\.|[^"\\])*"|[^;"])+/g) ?? []

const unquote = (text: string): string => (text.startsWith('"') ? text.slice(1, -1).replaceAll(/\\(.)/g, '$1') : text)

/** Begins where a word begins, or a long one without `=` would be read again from each of its letters. */
const pair = /(?<![A-Za-z0-9.-])([A-Za-z0-9.-]+)\s*=\s*("(?:\\.|[^"\\])*"|[^\s;"]+)/g

const verdictOf = (part: string): Verdict | undefined => {
  const [first, ...rest] = [...part.matchAll(pair)].map(([, name = '', value = '']) => [name.toLowerCase(), unquote(value)] as const)
  if (first === undefined || first[0].includes('.')) return undefined
  const properties = Object.fromEntries(rest.filter(([name]) => name.includes('.')))
  return { method: first[0].split('/')[0] ?? '', result: first[1].toLowerCase(), properties }
}

/** `headers`: the values of `Authentication-Results`, from the top. One that is too long or cannot be read may be the authority's: none counts. */
export const verdictsOf = (headers: readonly string[], authority: string): Verdict[] => {
  for (const header of headers) {
    const plain = header.length > longestHeader ? undefined : withoutComments(header)
    if (plain === undefined) return []
    const [id = '', ...parts] = partsOf(plain)
    if (unquote(id.trim().split(/\s/)[0] ?? '').toLowerCase() !== authority) continue
    return parts.map(verdictOf).filter((verdict) => verdict !== undefined)
  }
  return []
}

const domainOf = (address: string): string => address.slice(address.lastIndexOf('@') + 1).toLowerCase()

/** A signature of the sender's domain, or of one above it. */
const isAligned = (signing: string, domain: string): boolean =>
  signing === domain || (signing.includes('.') && domain.endsWith(`.${signing}`))

/**
 * Whether the address in `From` is vouched for: by DMARC, by a DKIM signature of its domain, or because the sender logged in as it.
 * SPF alone is not enough: it says nothing of `From`.
 */
export const isVouchedFor = (from: string, verdicts: readonly Verdict[]): boolean => {
  const domain = domainOf(from)
  return verdicts.some(({ method, result, properties }) => {
    if (result !== 'pass') return false
    if (method === 'dmarc') return properties['header.from']?.toLowerCase() === domain
    if (method === 'dkim') return isAligned(domainOf(properties['header.d'] ?? properties['header.i'] ?? ''), domain)
    return method === 'auth' && properties['smtp.auth']?.toLowerCase() === from
  })
}
