// Pages of a long list: bounded by number and by bytes, so that no page outgrows a frame.
import { limits } from '@gatehouse/contracts'
import * as v from 'valibot'
import { invalid } from './parse.ts'

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
