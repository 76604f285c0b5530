// Reads a JSON body that nobody vouches for: bounded before it is kept, parsed once, checked against its schema.
import { limits, ServiceError } from '@gatehouse/contracts'
import * as v from 'valibot'

const readBytes = async (request: Request): Promise<Buffer> => {
  const tooLarge = new ServiceError('too-large', { detail: `Expected a body of at most ${limits.apiBody} bytes.` })
  if (Number(request.headers.get('content-length') ?? 0) > limits.apiBody) throw tooLarge
  const chunks: Uint8Array[] = []
  let size = 0
  const stream: AsyncIterable<Uint8Array> | null = request.body
  for await (const chunk of stream ?? []) {
    size += chunk.byteLength
    if (size > limits.apiBody) throw tooLarge
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

const isJson = (type: string | null): boolean => type !== null && /^application\/json\s*(?:;|$)/i.test(type)

const parseJson = (bytes: Uint8Array): unknown => {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch (error) {
    throw new ServiceError('malformed', { detail: 'Expected a body in JSON, got something else.', cause: error })
  }
}

/** What is nested deeper would exhaust the stack of whoever serialises it. */
const isDeeperThan = (value: unknown, most: number): boolean =>
  typeof value === 'object' && value !== null && (most === 0 || Object.values(value).some((member) => isDeeperThan(member, most - 1)))

const toPointer = (issue: v.BaseIssue<unknown>): string =>
  (issue.path ?? []).map(({ key }) => `/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')

/** `invalid`, with a pointer to each member that does not fit. */
export const check = <T>(schema: v.GenericSchema<unknown, T>, value: unknown): T => {
  const result = v.safeParse(schema, value)
  if (result.success) return result.output
  const errors = result.issues.map((issue) => ({ pointer: toPointer(issue), detail: issue.message }))
  throw new ServiceError('invalid', { detail: errors.map(({ pointer, detail }) => `${pointer || '/'}: ${detail}`).join('; '), errors })
}

export const readBody = async <T>(request: Request, schema: v.GenericSchema<unknown, T>): Promise<T> => {
  if (!isJson(request.headers.get('content-type'))) throw new ServiceError('unsupported-media-type')
  const value = parseJson(await readBytes(request))
  if (isDeeperThan(value, limits.jsonDepth))
    throw new ServiceError('invalid', { detail: `Expected at most ${limits.jsonDepth} levels of nesting.` })
  return check(schema, value)
}
