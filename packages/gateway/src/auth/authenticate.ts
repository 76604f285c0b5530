// Authenticates callers by the digest of their token, and records failed attempts in the audit log.
import { timingSafeEqual } from 'node:crypto'
import { gatewayControlPlane, limits, type Principal, ServiceError } from '@gatehouse/contracts'
import type { JournalInput } from '@gatehouse/journal'
import type { Clock, Logger } from '@gatehouse/kernel'
import { systemActor } from '../state/change-records.ts'
import { type Act, assertMay } from '../state/roles.ts'
import type { KnownToken, Tokens, TokenUses } from '../state/tokens.ts'

export interface Principals {
  /** Throws `unauthorized` (the same for a missing, wrong or expired token) or `forbidden`. */
  resolve(token: string | null, act: Act): Principal
}

export interface PrincipalsOptions {
  /** SHA-256 of the admin token in hex; null on an open unit, which needs no token. */
  readonly adminToken: string | null
  readonly tokens: Tokens
  readonly uses: TokenUses
  readonly failures: Failures
  readonly clock: Clock
}

/** Principals without a named token: the admin token of the unit, and everyone on an open unit. */
const admin: Principal = { name: 'admin', role: 'admin' }
const anyone: Principal = { name: 'dev', role: 'admin' }
export const isUnnamed = (name: string): boolean => name === admin.name || name === anyone.name

export const isExpired = ({ token }: Pick<KnownToken, 'token'>, clock: Pick<Clock, 'isPast'>): boolean =>
  token.expiresAt !== undefined && clock.isPast(Date.parse(token.expiresAt))

const isAdmin = (expected: Buffer, token: string): boolean => {
  const presented = Buffer.from(token, 'hex')
  return presented.length === expected.length && timingSafeEqual(presented, expected)
}

const unauthorized = (): ServiceError => new ServiceError('unauthorized')

const toPrincipal = ({ uses, failures, clock }: PrincipalsOptions, known: KnownToken): Principal => {
  const { name, role, groups, expiresAt, person } = known.token
  if (isExpired(known, clock)) {
    failures.note('expired', name)
    throw unauthorized()
  }
  uses.note(name, new Date(clock()).toISOString())
  return {
    name,
    role,
    ...(person === undefined ? {} : { person }),
    ...(groups === undefined ? {} : { groups }),
    ...(expiresAt === undefined ? {} : { expiresAt }),
  }
}

const identify = (options: PrincipalsOptions, expected: Buffer | null, token: string | null): Principal => {
  if (token !== null && expected !== null && isAdmin(expected, token)) return admin
  const known = token === null ? undefined : options.tokens.find(token)
  if (known !== undefined) return toPrincipal(options, known)
  if (expected === null) return anyone
  options.failures.note(token === null ? 'missing' : 'unknown')
  throw unauthorized()
}

export const createPrincipals = (options: PrincipalsOptions): Principals => {
  const expected = options.adminToken === null ? null : Buffer.from(options.adminToken, 'hex')
  if (expected !== null && expected.length !== 32) throw new TypeError('expected the admin token as SHA-256 in hex')
  return {
    resolve: (token, act) => {
      const principal = identify(options, expected, token)
      assertMay(principal, act)
      return principal
    },
  }
}

export type FailureReason = 'missing' | 'unknown' | 'expired'

export interface Failures {
  /** Counts a failed authentication. @param name of the expired token */
  note(reason: FailureReason, name?: string): void
  /** Journals the counts. Later failures are not counted. */
  stop(): Promise<void>
}

export interface FailuresOptions {
  readonly commit: (lines: readonly JournalInput[]) => Promise<unknown>
  readonly log: Logger
}

const emptyCounts = (): Record<FailureReason, number> => ({ missing: 0, unknown: 0, expired: 0 })

/** Counts failed authentications and journals them in batches. Never delays or fails an answer. */
export const createFailures = ({ commit, log }: FailuresOptions): Failures => {
  let counts = emptyCounts()
  let names = new Set<string>()
  let timer: NodeJS.Timeout | undefined
  let stopped = false

  const write = async (): Promise<void> => {
    if (Object.values(counts).every((count) => count === 0)) return
    const detail = { ...counts, tokens: [...names].toSorted() }
    counts = emptyCounts()
    names = new Set()
    timer = setTimeout(() => {
      timer = undefined
      void write()
    }, limits.authFailedPause).unref()
    await commit([{ stage: 'auth-failed', ...systemActor, edge: gatewayControlPlane.caller, detail }]).catch((error: unknown) =>
      log.warn('could not journal failed authentications', { ...detail, error }),
    )
  }
  return {
    note: (reason, name) => {
      if (stopped) return
      counts[reason] += 1
      if (name !== undefined) names.add(name)
      if (timer === undefined) void write()
    },
    stop: async () => {
      stopped = true
      await write()
      clearTimeout(timer)
    },
  }
}
