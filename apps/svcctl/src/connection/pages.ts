// Lists over several pages: follows the cursors to the end or a maximum, slower when the unit asks for it; and the flags of filters.
import { setTimeout as pause } from 'node:timers/promises'
import type { PendingWanted } from '@gatehouse/client'
import { isServiceError, Kind, kindNames } from '@gatehouse/contracts'
import { Flags } from '@oclif/core'
import * as v from 'valibot'

interface Page<T> {
  readonly items: readonly T[]
  readonly nextCursor?: string | undefined
}

const mostTries = 10
/** Seconds. */
const longest = 30

/** Seconds until the unit takes the question; undefined where it does not say so, or where it is something else that failed. */
const pauseOf = (error: unknown): number | undefined => {
  if (!isServiceError(error) || error.code !== 'rate-limited') return undefined
  const seconds = Number(error.extra?.['retryAfter'] ?? Number.NaN)
  return seconds >= 0 && seconds <= longest ? seconds : undefined
}

const patiently = async <T>(ask: () => Promise<T>): Promise<T> => {
  for (let tries = 1; ; tries += 1) {
    try {
      return await ask()
    } catch (error) {
      const seconds = pauseOf(error)
      if (seconds === undefined || tries === mostTries) throw error
      await pause(seconds * 1000)
    }
  }
}

export const readAllPages = async <T>(ask: (cursor: string | undefined) => Promise<Page<T>>, enough = Infinity): Promise<T[]> => {
  const items: T[] = []
  let cursor: string | undefined
  do {
    const page = await patiently(() => ask(cursor))
    items.push(...page.items)
    cursor = page.nextCursor
  } while (cursor !== undefined && items.length < enough)
  return items.slice(0, enough)
}

/** Flags that narrow a list of changes or of journal lines. */
export const filterFlags = {
  group: Flags.string({ summary: 'Of this agent group alone.', helpValue: 'ID' }),
  kind: Flags.string({ summary: 'Of this kind alone.', options: [...kindNames] }),
  principal: Flags.string({ summary: 'Of this principal alone.', helpValue: 'NAME' }),
  since: Flags.string({ summary: 'From then on, such as 2026-01-31T09:30:00Z.', helpValue: 'TIME' }),
  until: Flags.string({ summary: 'Up to then.', helpValue: 'TIME' }),
}

export interface Filter {
  readonly group?: string | undefined
  readonly kind?: string | undefined
  readonly principal?: string | undefined
  readonly since?: string | undefined
  readonly until?: string | undefined
}

export const parseFilter = ({ group, kind, principal, since, until }: Filter): PendingWanted => ({
  agentGroupID: group,
  kind: v.parse(v.optional(Kind), kind),
  principal,
  since,
  until,
})
