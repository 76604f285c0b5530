// Where the registry of an image is: what a name says of it, by the rules that container engines have.
import { isLoopback } from '@gatehouse/kernel'
import { ServiceError } from '@gatehouse/contracts'

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
