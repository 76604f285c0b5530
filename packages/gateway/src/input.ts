// Parses input from people and agents. Errors name each field by JSON Pointer and never repeat a value, which may be a secret.
import { type FieldIssue, limits, ServiceError, toPointer } from '@gatehouse/contracts'
import { fieldIssues } from '@gatehouse/rpc'
import * as v from 'valibot'

/** RFC 8785 cannot represent text with a lone surrogate. */
const illFormed = (value: unknown, pointer: string): FieldIssue[] => {
  if (typeof value === 'string')
    return value.isWellFormed() ? [] : [{ pointer, detail: 'must be valid Unicode text without lone surrogates' }]
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, item]) => [...illFormed(key, pointer), ...illFormed(item, `${pointer}${toPointer([key])}`)])
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

/** A page of a long list, limited by number and by bytes so that it fits in a frame. */
export interface Page {
  readonly limit: number
  readonly cursor?: string | undefined
}

/** Items per read. The size is checked between reads. */
const stride = 16
const maxPageBytes = limits.rpcFrame / 2

export const readCursor = <S extends v.GenericSchema>(schema: S, cursor: string): v.InferOutput<S> => {
  const result = v.safeParse(schema, cursor)
  if (!result.success) throw invalid([{ pointer: '/cursor', detail: 'must be the nextCursor of an earlier page' }])
  return result.output
}

export const bounded = (limit: number): number => Math.min(Math.max(1, Math.trunc(limit) || 1), limits.pageSizeMost)

/** Collects a page. @param read reads at most `limit` items after `last` */
export const takePage = async <T>(
  limit: number,
  read: (limit: number, last: T | undefined) => Promise<T[]>,
): Promise<{ items: T[]; more: boolean }> => {
  const maximum = bounded(limit)
  const items: T[] = []
  let bytes = 0
  for (;;) {
    const count = Math.min(stride, maximum + 1 - items.length)
    const batch = await read(count, items.at(-1))
    for (const item of batch) {
      bytes += Buffer.byteLength(JSON.stringify(item))
      if (items.length >= maximum || (items.length > 0 && bytes > maxPageBytes)) return { items, more: true }
      items.push(item)
    }
    if (batch.length < count) return { items, more: false }
  }
}
