// Lists over several pages: follows cursors to the end or to a maximum and honours Retry-After. Also the flags that filter lists.
import { setTimeout as pause } from 'node:timers/promises'
import type { PendingQuery } from '@gatehouse/client'
import { isServiceError, Kind, kindNames } from '@gatehouse/contracts'
import { Flags } from '@oclif/core'
import * as v from 'valibot'
import { sinceFlag, untilFlag } from '../input/time.ts'

interface Page<T> {
  readonly items: readonly T[]
  readonly nextCursor?: string | undefined
}

const maxAttempts = 10
/** Seconds. */
const maxPause = 30

/** Seconds to wait before the next attempt; undefined for any other failure. */
const pauseOf = (error: unknown): number | undefined => {
  if (!isServiceError(error) || error.code !== 'rate-limited') return undefined
  const seconds = Number(error.extra?.['retryAfter'] ?? Number.NaN)
  return seconds >= 0 && seconds <= maxPause ? seconds : undefined
}

const withRetries = async <T>(read: () => Promise<T>): Promise<T> => {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await read()
    } catch (error) {
      const seconds = pauseOf(error)
      if (seconds === undefined || attempt === maxAttempts) throw error
      await pause(seconds * 1000)
    }
  }
}

export const readAllPages = async <T>(read: (cursor: string | undefined) => Promise<Page<T>>, most = Infinity): Promise<T[]> => {
  const items: T[] = []
  let cursor: string | undefined
  do {
    const page = await withRetries(() => read(cursor))
    items.push(...page.items)
    cursor = page.nextCursor
  } while (cursor !== undefined && items.length < most)
  return items.slice(0, most)
}

export const groupFlag = Flags.string({ summary: 'Filter by agent group.', helpValue: 'ID' })
export const limitFlag = Flags.integer({ summary: 'Maximum number of records, newest first.', default: 50, min: 1, helpValue: 'NUMBER' })

/** Flags that filter a list of changes or of audit records. */
export const filterFlags = {
  group: groupFlag,
  kind: Flags.string({ summary: 'Filter by kind of change.', options: [...kindNames] }),
  principal: Flags.string({ summary: 'Filter by principal.', helpValue: 'NAME' }),
  since: sinceFlag,
  until: untilFlag,
}

export interface Filter {
  readonly group?: string | undefined
  readonly kind?: string | undefined
  readonly principal?: string | undefined
  readonly since?: string | undefined
  readonly until?: string | undefined
}

export const parseFilter = ({ group, kind, principal, since, until }: Filter): PendingQuery => ({
  agentGroupID: group,
  kind: v.parse(v.optional(Kind), kind),
  principal,
  since,
  until,
})
