// Reads manifests and blobs from an image registry: anonymous, bounded, each answer verified by its digest.
import { createHash } from 'node:crypto'
import { jsonBounds, limits, type OutboundSettings, ServiceError } from '@gatehouse/contracts'
import { isLoopback, jsonText } from '@gatehouse/kernel'
import { createOutlet } from '@gatehouse/outbound'
import * as v from 'valibot'

export interface RegistryOptions {
  /** The unit's own admin address. */
  readonly ownAddress: string
  readonly outbound: OutboundSettings
}

export interface Registry {
  /** Null where there is none under the name. */
  manifest(reference: string): Promise<Buffer | null>
  /** Rejects where the content is not what the digest says. */
  blob(digest: string): Promise<Buffer>
}

interface Asked {
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
}

const redirects = 3
const Token = v.union([
  v.pipe(
    v.object({ token: v.string() }),
    v.transform(({ token }) => token),
  ),
  v.pipe(
    v.object({ access_token: v.string() }),
    v.transform((answer) => answer.access_token),
  ),
])

const request = async ({ url, headers }: Asked, { ownAddress, outbound }: RegistryOptions) => {
  const outlet = createOutlet({ url, ownAddress, settings: outbound, most: limits.imageAnswer, showsRedirects: true })
  try {
    const response = await outlet.fetch(url, { headers, signal: AbortSignal.timeout(limits.probeTime) })
    const bytes = Buffer.from(await response.arrayBuffer())
    return { status: response.status, headers: response.headers, bytes }
  } finally {
    await outlet.close()
  }
}

/** Blobs often lie elsewhere. What let the first request in is not shown to another host. */
const follow = async (first: Asked, options: RegistryOptions) => {
  let asked = first
  for (let hop = 0; hop <= redirects; hop += 1) {
    const answer = await request(asked, options)
    const location = answer.headers.get('location')
    if (answer.status < 300 || answer.status >= 400 || location === null) return answer
    const url = new URL(location, asked.url)
    if (url.protocol !== 'https:' && url.origin !== first.url.origin)
      throw new TypeError(`the registry leads to ${url.origin}, without TLS`)
    asked = { url, headers: url.origin === first.url.origin ? first.headers : {} }
  }
  throw new TypeError(`the registry leads from place to place, more than ${redirects} times`)
}

/** Where a registry wants a token even of strangers, it says who gives one. */
const tokenOf = async (challenge: string | null, options: RegistryOptions): Promise<string | null> => {
  if (challenge === null || !/^bearer /i.test(challenge)) return null
  const fields = Object.fromEntries([...challenge.matchAll(/(\w+)="([^"]*)"/g)].map(([, name = '', value = '']) => [name, value]))
  const url = URL.parse(fields['realm'] ?? '')
  if (url === null) return null
  for (const name of ['service', 'scope']) if (fields[name] !== undefined) url.searchParams.set(name, fields[name])
  const { status, bytes } = await request({ url, headers: {} }, options)
  const parsed = status === 200 ? v.safeParse(v.pipe(jsonText(jsonBounds.imageAnswer), Token), bytes.toString('utf8')) : null
  return parsed?.success === true ? parsed.output : null
}

export const openRegistry = (
  { registry, repository }: Pick<ImageReference, 'registry' | 'repository'>,
  options: RegistryOptions,
): Registry => {
  const headers: Record<string, string> = {
    accept: 'application/vnd.oci.image.manifest.v1+json, application/vnd.docker.distribution.manifest.v2+json',
  }
  const read = async (path: string) => {
    const url = new URL(`/v2/${repository}/${path}`, registry)
    const answer = await follow({ url, headers }, options)
    if (answer.status !== 401 || 'authorization' in headers) return answer
    const token = await tokenOf(answer.headers.get('www-authenticate'), options)
    if (token === null) return answer
    headers['authorization'] = `Bearer ${token}`
    return follow({ url, headers }, options)
  }
  return {
    manifest: async (reference) => {
      const { status, bytes } = await read(`manifests/${reference}`)
      if (status === 404) return null
      if (status !== 200) throw new TypeError(`the registry ${registry.host} answered ${status}`)
      return bytes
    },
    blob: async (digest) => {
      const { status, bytes } = await read(`blobs/${digest}`)
      if (status !== 200) throw new TypeError(`the registry ${registry.host} answered ${status}`)
      if (`sha256:${createHash('sha256').update(bytes).digest('hex')}` !== digest)
        throw new TypeError('the content does not match the requested digest')
      return bytes
    },
  }
}

/** Where the registry of an image is: what a name says of it, by the rules that container engines have. */
export interface ImageReference {
  readonly registry: URL
  readonly repository: string
  /** `sha256:` and 64 digits. */
  readonly digest: string
}

const shape = /^(?<name>[^@\s]+)@(?<digest>sha256:[0-9a-f]{64})$/
const repositoryShape = /^[a-z0-9]+(?:[._-]+[a-z0-9]+)*(?:\/[a-z0-9]+(?:[._-]+[a-z0-9]+)*)*$/

/** The first part is a host where it could be no name; without one it is Docker's registry. */
const split = (name: string): { readonly host: string; readonly repository: string } => {
  const [first = '', ...rest] = name.split('/')
  const isHost = rest.length > 0 && (/[.:]/.test(first) || first === 'localhost')
  const repository = (isHost ? rest.join('/') : name).replace(/:[A-Za-z0-9_][A-Za-z0-9_.-]*$/, '')
  if (isHost && first !== 'docker.io') return { host: first, repository }
  return { host: 'registry-1.docker.io', repository: repository.includes('/') ? repository : `library/${repository}` }
}

export const parseImage = (image: string): ImageReference => {
  const { name = '', digest = '' } = shape.exec(image)?.groups ?? {}
  const { host, repository } = split(name)
  const address = `https://${host}`
  if (digest === '' || !repositoryShape.test(repository) || !URL.canParse(address)) {
    throw new ServiceError('no-sandbox', {
      detail: `expected an image such as registry.example/sandbox@sha256:… (SERVICE_SANDBOX_IMAGE), got ${image.slice(0, 200)}`,
      hint: 'name the registry that holds its signature, or unset SERVICE_IMAGE_KEY',
    })
  }
  const url = new URL(address)
  // As the engines have it: a registry of this machine may do without TLS.
  if (isLoopback(url.hostname)) url.protocol = 'http:'
  return { registry: url, repository, digest }
}
