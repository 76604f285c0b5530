// Parses input from people and agents. Errors name each field by JSON Pointer and never repeat a value, which may be a secret.
import { type FieldIssue, limits, ServiceError } from '@gatehouse/contracts'
import { fieldIssues } from '@gatehouse/rpc'
import * as v from 'valibot'

/** One token of a JSON Pointer (RFC 6901). */
export const token = (key: string): string => key.replaceAll('~', '~0').replaceAll('/', '~1')

/** RFC 8785 has no form for text with a lone surrogate, and no reader shows one. */
const illFormed = (value: unknown, pointer: string): FieldIssue[] => {
  if (typeof value === 'string') return value.isWellFormed() ? [] : [{ pointer, detail: 'expected Unicode text, got a lone surrogate' }]
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, item]) => [...illFormed(key, pointer), ...illFormed(item, `${pointer}/${token(key)}`)])
}

export const invalid = (errors: readonly FieldIssue[], hint?: string): ServiceError =>
  new ServiceError('invalid', { detail: errors.map(({ pointer, detail }) => `${pointer || '/'}: ${detail}`).join('; '), errors, hint })

/** @param root JSON Pointer of `input` within the request body */
export const parse = <S extends v.GenericSchema>(schema: S, input: unknown, root: string): v.InferOutput<S> => {
  const result = v.safeParse(schema, input)
  if (!result.success) {
    const issues = result.issues.map((issue) => (typeof issue.input === 'number' ? { ...issue, received: 'a number' } : issue))
    throw invalid(fieldIssues(issues).map(({ pointer, detail }) => ({ pointer: root + pointer, detail })))
  }
  const issues = illFormed(result.output, root)
  if (issues.length > 0) throw invalid(issues)
  return result.output
}

/** Pages of a long list: bounded by number and by bytes, so that no page outgrows a frame. */
export interface Page {
  readonly limit: number
  readonly cursor?: string | undefined
}

/** Read at once; between two reads the size so far is looked at. */
const stride = 16
const mostBytes = limits.rpcFrame / 2

export const readCursor = <S extends v.GenericSchema>(schema: S, cursor: string): v.InferOutput<S> => {
  const result = v.safeParse(schema, cursor)
  if (!result.success) throw invalid([{ pointer: '/cursor', detail: 'expected the nextCursor of a page before' }])
  return result.output
}

export const bounded = (limit: number): number => Math.min(Math.max(1, Math.trunc(limit) || 1), limits.pageSizeMost)

/** @param read at most `limit` items behind `last` */
export const takePage = async <T>(
  limit: number,
  read: (limit: number, last: T | undefined) => Promise<T[]>,
): Promise<{ items: T[]; more: boolean }> => {
  const most = bounded(limit)
  const items: T[] = []
  let bytes = 0
  for (;;) {
    const wanted = Math.min(stride, most + 1 - items.length)
    const found = await read(wanted, items.at(-1))
    for (const item of found) {
      bytes += Buffer.byteLength(JSON.stringify(item))
      if (items.length >= most || (items.length > 0 && bytes > mostBytes)) return { items, more: true }
      items.push(item)
    }
    if (found.length < wanted) return { items, more: false }
  }
}
