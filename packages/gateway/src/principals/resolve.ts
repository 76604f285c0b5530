// Who proved itself: by the digest of its token and by nothing else.
import { timingSafeEqual } from 'node:crypto'
import { type Principal, ServiceError } from '@gatehouse/contracts'
import type { Clock } from '@gatehouse/kernel'
import type { Failures } from './failures.ts'
import { type Act, assertMay } from './role.ts'
import type { KnownToken, Tokens } from './tokens.ts'
import type { Uses } from './uses.ts'

export interface Principals {
  /** Throws `unauthorized`, the same for a missing, a wrong and an expired token, or `forbidden`. */
  resolve(token: string | null, act: Act): Principal
}

export interface PrincipalsOptions {
  /** SHA-256 of the admin token in hex; null on an open unit, which asks for none. */
  readonly adminToken: string | null
  readonly tokens: Tokens
  readonly uses: Uses
  readonly failures: Failures
  readonly clock: Clock
}

/** Who has no name of its own: the token of the unit, and everybody on an open one. */
const admin: Principal = { name: 'admin', role: 'admin' }
const everybody: Principal = { name: 'dev', role: 'admin' }
export const isUnnamed = (name: string): boolean => name === admin.name || name === everybody.name

export const isExpired = ({ token }: Pick<KnownToken, 'token'>, clock: Pick<Clock, 'isPast'>): boolean =>
  token.expiresAt !== undefined && clock.isPast(Date.parse(token.expiresAt))

const isAdmin = (expected: Buffer, token: string): boolean => {
  const presented = Buffer.from(token, 'hex')
  return presented.length === expected.length && timingSafeEqual(presented, expected)
}

const unauthorized = (): ServiceError => new ServiceError('unauthorized')

const takeNamed = ({ uses, failures, clock }: PrincipalsOptions, known: KnownToken): Principal => {
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
  if (known !== undefined) return takeNamed(options, known)
  if (expected === null) return everybody
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
