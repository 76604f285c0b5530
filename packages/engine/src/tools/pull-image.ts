// Brings a published image to the engine of this host by its digest, and reads what it says about itself. Starts nothing of it.
import { type ContainerEngine, jsonBounds, ServiceError } from '@gatehouse/contracts'
import { jsonText } from '@gatehouse/kernel'
import { execa } from 'execa'
import * as v from 'valibot'
import { callEngine, clientEnvironment, type Engine } from '../container-client/client.ts'
import { needEngine } from './engine.ts'

export interface PulledImage {
  readonly engine: ContainerEngine
  /** `<name>@sha256:<digest>`, which a catalog entry names. */
  readonly image: string
  readonly id: string
  readonly platform: string
  /** Empty: root. */
  readonly user: string
  readonly entrypoint: readonly string[]
  readonly command: readonly string[]
  /** Names only: values may be secrets of its author. */
  readonly variables: readonly string[]
  readonly labels: Readonly<Record<string, string>>
  readonly bytes: number
}

const texts = v.optional(v.nullable(v.array(v.string())), [])
const Inspected = v.looseObject({
  Id: v.string(),
  Os: v.string(),
  Architecture: v.string(),
  Size: v.optional(v.number(), 0),
  RepoDigests: texts,
  Config: v.looseObject({
    User: v.optional(v.string(), ''),
    Entrypoint: texts,
    Cmd: texts,
    Env: texts,
    Labels: v.optional(v.nullable(v.record(v.string(), v.string())), {}),
  }),
})
type Inspected = v.InferOutput<typeof Inspected>

const pullTime = 10 * 60_000

const pull = async (engine: Engine, reference: string): Promise<void> => {
  const options = { reject: false, stdin: 'ignore', env: clientEnvironment, timeout: pullTime, cwd: '/' } as const
  const { failed, stderr, shortMessage } = await execa(engine.file, [...engine.global, 'pull', '--quiet', reference], options)
  if (!failed) return
  const reason = stderr.trim().split('\n').at(-1) ?? shortMessage ?? ''
  throw new ServiceError('invalid', { detail: `${reference} cannot be pulled by ${engine.name}: ${reason.slice(0, 300)}` })
}

const inspect = async (engine: Engine, reference: string): Promise<Inspected> => {
  const { stdout, stderr } = await callEngine(engine, ['image', 'inspect', '--format', '{{json .}}', reference])
  const parsed = v.safeParse(v.pipe(jsonText(jsonBounds.engineOutput), Inspected), stdout)
  if (parsed.success) return parsed.output
  throw new ServiceError('invalid', { detail: `${engine.name} does not describe ${reference}: ${stderr.trim().slice(0, 300)}` })
}

const architectures: Readonly<Record<string, string>> = { x64: 'amd64', arm64: 'arm64' }

const assertPlatform = (reference: string, { Os, Architecture }: Inspected): void => {
  const own = `linux/${architectures[process.arch] ?? process.arch}`
  if (`${Os}/${Architecture}` === own) return
  throw new ServiceError('invalid', {
    detail: `expected an image for ${own}, ${reference} is for ${Os}/${Architecture}`,
    hint: 'name the digest of an index, or of the image for this machine',
  })
}

const named = /^([A-Za-z0-9][A-Za-z0-9._:/-]*?)(?::([A-Za-z0-9_][A-Za-z0-9_.-]*))?(?:@(sha256:[0-9a-f]{64}))?$/

/** What a tag names now; the image is pulled to learn it. */
const refuseTag = async (engine: Engine, name: string, reference: string): Promise<never> => {
  await pull(engine, reference)
  const { RepoDigests } = await inspect(engine, reference)
  const digest = (RepoDigests ?? []).map((each) => each.split('@')[1]).find((each) => each?.startsWith('sha256:') === true)
  throw new ServiceError('invalid', {
    detail: `expected an image by its digest, got ${reference}: a tag may name another image tomorrow`,
    hint: digest === undefined ? 'name its digest: oci:<name>@sha256:…' : `it is this image now: oci:${name}@${digest}`,
  })
}

/** Throws `invalid` for a reference without a digest, and for an image of another platform. */
export const pullImage = async (reference: string, wanted: ContainerEngine | null): Promise<PulledImage> => {
  const [, name, , digest] = named.exec(reference) ?? []
  if (name === undefined)
    throw new ServiceError('invalid', { detail: `expected oci:<name>@sha256:<digest>, got ${JSON.stringify(`oci:${reference}`)}` })
  const engine = await needEngine(wanted)
  if (digest === undefined) return refuseTag(engine, name, reference)
  const image = `${name}@${digest}`
  await pull(engine, image)
  const found = await inspect(engine, image)
  assertPlatform(image, found)
  const { User, Entrypoint, Cmd, Env, Labels } = found.Config
  return {
    engine: engine.name,
    image,
    id: found.Id,
    platform: `${found.Os}/${found.Architecture}`,
    user: User,
    entrypoint: Entrypoint ?? [],
    command: Cmd ?? [],
    variables: (Env ?? []).map((each) => each.split('=')[0] ?? ''),
    labels: Labels ?? {},
    bytes: found.Size,
  }
}
