// Whether the unit's own mail server authenticated the address in `From`: by DMARC, by a DKIM signature of its domain, or because the
// sender logged in as that address. SPF does not count, because it does not cover `From`.
import { canonicalUser, lowerASCII } from '@gatehouse/contracts'
import { type AuthenticationResults, type MethodResult, readAuthenticationResults } from './authentication-results.ts'

/** The server's headers, newest first. Undefined if one of them may be unreadable. */
const headersOf = (server: string, values: readonly string[]): AuthenticationResults[] | undefined => {
  const own: AuthenticationResults[] = []
  for (const value of values) {
    const header = readAuthenticationResults(value)
    const mayBeOwn = own.length === 0 || value.toLowerCase().includes(server)
    if (header === undefined && mayBeOwn) return undefined
    if (header?.server === server) own.push(header)
  }
  return own
}

const domainForm = /^(?=[a-z0-9.-]{1,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)*[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/

/** Undefined if it is not a domain name. */
const readDomain = (text: string | null | undefined): string | undefined => {
  const domain = lowerASCII(text ?? '')
  return domainForm.test(domain) ? domain : undefined
}

/** The domain of `@example.org` or `kim@example.org`. */
const identityDomain = (text: string | null | undefined): string | undefined =>
  readDomain(/^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]*@([^@]+)$/.exec(text ?? '')?.[1])

/** The same domain or a parent of it. */
const isAligned = (signing: string | undefined, domain: string): boolean =>
  signing !== undefined && (signing === domain || (signing.includes('.') && domain.endsWith(`.${signing}`)))

/** The signing domain is `header.d`; a given identity must be in that domain (RFC 6376, section 3.5). */
const isSignedBy = ({ properties }: MethodResult, domain: string): boolean => {
  const [d, i] = [readDomain(properties.get('header.d')), identityDomain(properties.get('header.i'))]
  if (!properties.has('header.d')) return isAligned(i, domain)
  return isAligned(d, domain) && (!properties.has('header.i') || (i !== undefined && isAligned(d, i)))
}

interface Sender {
  readonly address: string
  readonly domain: string
}

const proves = (result: MethodResult, { address, domain }: Sender): boolean => {
  if (result.result !== 'pass' || result.methodVersion !== 1) return false
  if (result.method === 'dmarc') return readDomain(result.properties.get('header.from')) === domain
  if (result.method === 'dkim') return isSignedBy(result, domain)
  return result.method === 'auth' && canonicalUser('email', result.properties.get('smtp.auth') ?? '') === address
}

/** DMARC results that say nothing about the sender: its domain has no policy or could not be queried. */
const inconclusive: ReadonlySet<string> = new Set(['none', 'bestguesspass', 'temperror', 'permerror'])

/** DMARC failed, or the server saw another sender. */
const contradicts = ({ method, result, properties }: MethodResult, { domain }: Sender): boolean => {
  if (method !== 'dmarc' || inconclusive.has(result)) return false
  return result !== 'pass' || (properties.has('header.from') && !isAligned(readDomain(properties.get('header.from')), domain))
}

/**
 * @param headers values of `Authentication-Results`, from the top
 * Only the server's newest header is proof, because a sender can add a header with the same name below it. Each of them can contradict.
 */
export const isAuthenticated = (address: string, headers: readonly string[], server: string): boolean => {
  const own = headersOf(server, headers) ?? []
  const sender = { address, domain: address.slice(address.lastIndexOf('@') + 1) }
  const all = own.flatMap(({ results }) => results)
  return !all.some((result) => contradicts(result, sender)) && (own[0]?.results.some((result) => proves(result, sender)) ?? false)
}
