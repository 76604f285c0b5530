// Reads a JSON body that nobody vouches for: its size and structure are bounded while it arrives, it is parsed once and checked
// against its schema.
import { jsonBounds, ServiceError } from '@gatehouse/contracts'
import { JsonScanner, parseScannedJson, refuseJsonBody } from '@gatehouse/kernel'
import * as v from 'valibot'

const bounds = jsonBounds.sessionRequest

const readBytes = async (request: Request): Promise<Buffer> => {
  if (Number(request.headers.get('content-length') ?? 0) > bounds.bytes) throw refuseJsonBody('bytes', bounds)
  const chunks: Uint8Array[] = []
  const scanner = new JsonScanner(bounds)
  const stream: AsyncIterable<Uint8Array> | null = request.body
  for await (const chunk of stream ?? []) {
    const fault = scanner.push(chunk)
    if (fault !== undefined) throw refuseJsonBody(fault, bounds)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

const isJson = (type: string | null): boolean => type !== null && /^application\/json\s*(?:;|$)/i.test(type)

const parseJson = (bytes: Uint8Array): unknown => {
  try {
    return parseScannedJson(new TextDecoder('utf-8', { fatal: true }).decode(bytes), bounds)
  } catch (error) {
    throw new ServiceError('malformed', { detail: 'Expected a body in JSON, got something else.', cause: error })
  }
}

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
  return check(schema, parseJson(await readBytes(request)))
}
