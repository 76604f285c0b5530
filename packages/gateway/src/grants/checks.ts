// The checks of a tool call, in order: one table for the verdict and for its explanation.
import { type Digest, type Freeze, limits, type Pinning, type Verdict } from '@gatehouse/contracts'
import type { Clock } from '@gatehouse/kernel'
import type { GrantRow } from '../state/grants.ts'
import type { Definitions } from '../state/tool-definitions.ts'
import { amount, quote } from '../text.ts'

/** One call, with all that decides it. */
export interface Subject {
  readonly server: string
  readonly tool: string
  readonly freeze: Freeze | undefined
  readonly row: GrantRow | undefined
  /** Made under the grant so far. */
  readonly calls: number
  /** Milliseconds until the group may make one more call under its limit by the minute. */
  readonly wait: number
  readonly clock: Pick<Clock, 'isPast'>
  readonly pinning: Pinning
  /** Identity of the server's present entry; undefined where it has none. */
  readonly entryDigest: Digest | undefined
  /** By the present entry; undefined where that was not seen yet. */
  readonly declared: Definitions | undefined
}

type Code = Extract<Verdict, { allowed: false }>['code']

interface Check {
  readonly name: string
  readonly code: Code
  passes(subject: Subject): boolean
  /** One sentence on how it went. */
  explain(subject: Subject, passed: boolean): string
}

/** Whole seconds, at least one. */
export const seconds = (milliseconds: number): number => Math.max(1, Math.ceil(milliseconds / 1000))

export const isExpired = (row: GrantRow, clock: Pick<Clock, 'isPast'>): boolean => clock.isPast(row.expiresAt)

export const isExhausted = ({ grant }: GrantRow, calls: number): boolean => grant.maxCalls !== undefined && calls >= grant.maxCalls

export const covers = ({ tools }: GrantRow, tool: string): boolean => tools.size === 0 || tools.has(tool)

/** The entry is another than the approved one, as far as that is known. */
export const isEntryReplaced = ({ grant }: GrantRow, entryDigest: Digest | undefined): boolean =>
  grant.entryDigest !== null && entryDigest !== undefined && grant.entryDigest !== entryDigest

/** Under `strict` also before the line that says so is written. */
const isSuspended = ({ row, pinning, entryDigest }: Subject): boolean =>
  row?.grant.state === 'suspended' || (pinning === 'strict' && row !== undefined && isEntryReplaced(row, entryDigest))

/** The definition that a call must meet; undefined where any will do. */
export const pinOf = ({ pinning, row, tool }: Pick<Subject, 'pinning' | 'row' | 'tool'>): Digest | undefined =>
  pinning === 'warn' ? undefined : row?.pins.get(tool)

/**
 * Under `strict` a tool without a pin is one that nobody has seen; under `refuse` it is pinned when it is seen, as long as there
 * is room. Before the first listing nothing is pinned.
 */
const definitionHolds = (subject: Subject): boolean => {
  const { pinning, row, declared, tool } = subject
  if (pinning === 'warn' || row === undefined || row.grant.pinned === 'none') return true
  const pin = pinOf(subject)
  if (pin === undefined) return pinning !== 'strict' && row.pins.size < limits.grantPins
  const seen = declared?.get(tool)
  return seen === undefined || seen === pin
}

const frozen: Check = {
  name: 'freeze',
  code: 'frozen',
  passes: ({ freeze }) => freeze === undefined,
  explain: ({ freeze }) =>
    freeze === undefined
      ? 'neither the unit nor the group is frozen'
      : `${freeze.agentGroupID === undefined ? 'the unit' : 'the group'} is frozen since ${freeze.at} by ${quote(freeze.by)}`,
}

const granted: Check = {
  name: 'grant',
  code: 'not-granted',
  passes: ({ row }) => row !== undefined,
  explain: ({ row, server }) =>
    row === undefined
      ? `there is no grant for the tool server ${quote(server)}`
      : `${row.grant.changeID} granted it at ${row.grant.grantedAt}`,
}

const active: Check = {
  name: 'state',
  code: 'revoked',
  passes: (subject) => subject.row?.grant.state === 'active' && !isSuspended(subject),
  explain: (subject) =>
    isSuspended(subject)
      ? 'the grant is suspended: its server became another one'
      : `the grant is ${subject.row?.grant.state ?? 'missing'}`,
}

const inTime: Check = {
  name: 'expiry',
  code: 'revoked',
  passes: ({ row, clock }) => row !== undefined && !isExpired(row, clock),
  explain: ({ row }, passed) =>
    row?.grant.expiresAt === undefined
      ? 'the grant does not expire'
      : `the grant ${passed ? 'expires' : 'expired'} at ${row.grant.expiresAt}`,
}

const withinCalls: Check = {
  name: 'calls',
  code: 'revoked',
  passes: ({ row, calls }) => row !== undefined && !isExhausted(row, calls),
  explain: ({ row, calls }) =>
    row?.grant.maxCalls === undefined
      ? `${calls === 1 ? '1 call' : `${calls} calls`} so far, without a limit`
      : `${calls} of ${row.grant.maxCalls} calls are used`,
}

const named: Check = {
  name: 'tool',
  code: 'not-granted',
  passes: ({ row, tool }) => row !== undefined && covers(row, tool),
  explain: ({ row, tool }, passed) => {
    if (row?.tools.size === 0) return 'the grant covers every tool of the server'
    return `the grant ${passed ? 'names' : 'does not name'} the tool ${quote(tool)}`
  },
}

const withinRate: Check = {
  name: 'rate',
  code: 'rate-limited',
  passes: ({ wait }) => wait <= 0,
  explain: ({ row, wait }, passed) => {
    if (row?.callsPerMinute === undefined) return 'the group has no limit of calls per minute'
    const limit = `the group may make ${amount(row.callsPerMinute, 'call')} per minute`
    return passed ? limit : `${limit} and has made them: the next one in ${seconds(wait)} s`
  },
}

const definition: Check = {
  name: 'definition',
  code: 'definition-changed',
  passes: definitionHolds,
  explain: ({ pinning, row, tool }, passed) => {
    const pin = row?.pins.get(tool)
    if (row?.grant.pinned === 'none') return 'nothing is pinned before the first listing'
    if (pinning === 'warn') return 'definitions are not compared: pinning is warn'
    if (pin === undefined) return `the tool is new since the approval, which pinning ${pinning} ${passed ? 'allows' : 'refuses'}`
    const which = row?.grant.pins[tool] === undefined || row.grant.added?.includes(tool) === true ? 'first seen' : 'approved'
    return `the definition is ${passed ? '' : 'another than '}the ${which} one`
  },
}

export const checks: readonly Check[] = [frozen, granted, active, inTime, withinCalls, named, definition, withinRate]
