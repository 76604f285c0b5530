// Who proved itself: by the digest of its token and by nothing else.
import { timingSafeEqual } from 'node:crypto'
import { type Principal, ServiceError } from '@gatehouse/contracts'
import { type Act, assertMay } from './role.ts'

export interface Principals {
  /** Throws `unauthorized`, the same for a missing and a wrong token, or `forbidden`. */
  resolve(token: string | null, act: Act): Principal
}

const identify = (adminToken: Buffer | null, token: string | null): Principal => {
  // An open unit asks for no token, so it believes none.
  if (adminToken === null) return { name: 'dev', role: 'admin' }
  const presented = Buffer.from(token ?? '', 'hex')
  if (presented.length === adminToken.length && timingSafeEqual(presented, adminToken)) return { name: 'admin', role: 'admin' }
  throw new ServiceError('unauthorized')
}

/** @param adminToken SHA-256 of the admin token in hex; null on an open unit */
export const createPrincipals = (adminToken: string | null): Principals => {
  const expected = adminToken === null ? null : Buffer.from(adminToken, 'hex')
  if (expected !== null && expected.length !== 32) throw new TypeError('expected the admin token as SHA-256 in hex')
  return {
    resolve: (token, act) => {
      const principal = identify(expected, token)
      assertMay(principal, act)
      return principal
    },
  }
}
