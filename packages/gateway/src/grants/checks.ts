// The checks of a tool call, in order: one table for the verdict and for its explanation.
import { type Digest, type Freeze, limits, type Pinning, type Verdict } from '@gatehouse/contracts'
import type { Clock } from '@gatehouse/kernel'
import type { GrantRow } from '../state/grants.ts'
import type { Definitions } from '../state/tool-definitions.ts'
import { amount, quote } from '../text.ts'

/** A call with everything that decides it. */
export interface Subject {
  readonly server: string
  readonly tool: string
  readonly freeze: Freeze | undefined
  readonly row: GrantRow | undefined
  /** Calls made under the grant so far. */
  readonly calls: number
  /** Milliseconds until the group may make another call under its rate limit. */
  readonly wait: number
  readonly clock: Pick<Clock, 'isPast'>
  readonly pinning: Pinning
  /** Digest of the server's current entry; undefined if it has none. */
  readonly entryDigest: Digest | undefined
  /** Definitions of the current entry; undefined if it was not listed yet. */
  readonly declared: Definitions | undefined
}

type Code = Extract<Verdict, { allowed: false }>['code']

interface Check {
  readonly name: string
  readonly code: Code
  passes(subject: Subject): boolean
  /** One sentence on the result. */
  explain(subject: Subject, passed: boolean): string
}

/** Whole seconds, at least one. */
export const seconds = (milliseconds: number): number => Math.max(1, Math.ceil(milliseconds / 1000))

export const isExpired = (row: GrantRow, clock: Pick<Clock, 'isPast'>): boolean => clock.isPast(row.expiresAt)

export const isExhausted = ({ grant }: GrantRow, calls: number): boolean => grant.maxCalls !== undefined && calls >= grant.maxCalls

export const covers = ({ tools }: GrantRow, tool: string): boolean => tools.size === 0 || tools.has(tool)

/** Whether the entry differs from the approved one, if both are known. */
export const isEntryReplaced = ({ grant }: GrantRow, entryDigest: Digest | undefined): boolean =>
  grant.entryDigest !== null && entryDigest !== undefined && grant.entryDigest !== entryDigest

/** Under `strict`, a grant with a replaced server counts as suspended before the suspension is recorded. */
const isSuspended = ({ row, pinning, entryDigest }: Subject): boolean =>
  row?.grant.state === 'suspended' || (pinning === 'strict' && row !== undefined && isEntryReplaced(row, entryDigest))

/** The definition that a call must match; undefined if it need not match any. */
export const findPin = ({ pinning, row, tool }: Pick<Subject, 'pinning' | 'row' | 'tool'>): Digest | undefined =>
  pinning === 'warn' ? undefined : row?.pins.get(tool)

/**
 * Whether the current definition matches the pin. A tool without a pin was never approved: `strict` refuses it, and `refuse`
 * allows it until the maximum number of pins. Before the first listing nothing is pinned.
 */
const isDefinitionAccepted = (subject: Subject): boolean => {
  const { pinning, row, declared, tool } = subject
  if (pinning === 'warn' || row === undefined || row.grant.pinned === 'none') return true
  const pin = findPin(subject)
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
      : `${freeze.agentGroupID === undefined ? 'the unit' : 'the group'} was frozen at ${freeze.at} by ${quote(freeze.by)}`,
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
    isSuspended(subject) ? 'the grant is suspended: its tool server was replaced' : `the grant is ${subject.row?.grant.state ?? 'missing'}`,
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
    row?.grant.maxCalls === undefined ? `${amount(calls, 'call')} so far, no limit` : `${calls} of ${row.grant.maxCalls} calls are used`,
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
    if (row?.callsPerMinute === undefined) return 'the group has no limit on calls per minute'
    const limit = `the group may make ${amount(row.callsPerMinute, 'call')} per minute`
    return passed ? limit : `${limit} and has used them all: the next one is allowed in ${seconds(wait)} s`
  },
}

const definition: Check = {
  name: 'definition',
  code: 'definition-changed',
  passes: isDefinitionAccepted,
  explain: ({ pinning, row, tool }, passed) => {
    const pin = row?.pins.get(tool)
    if (row?.grant.pinned === 'none') return 'nothing is pinned before the first listing'
    if (pinning === 'warn') return 'definitions are not compared: pinning is warn'
    if (pin === undefined) return `the tool is new since the approval, which pinning ${pinning} ${passed ? 'allows' : 'refuses'}`
    const which = row?.grant.pins[tool] === undefined || row.grant.added?.includes(tool) === true ? 'first seen' : 'approved'
    return `the definition ${passed ? 'is' : 'differs from'} the ${which} one`
  },
}

export const checks: readonly Check[] = [frozen, granted, active, inTime, withinCalls, named, definition, withinRate]
