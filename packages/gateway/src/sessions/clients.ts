// The session of a client token. Only the token selects it; a request cannot name another session.
import { type ChangeID, type Digest, ServiceError, type Session, type Submitted } from '@gatehouse/contracts'
import type { Principals } from '../auth/authenticate.ts'
import { clientPlace } from '../state/sessions.ts'
import type { Tokens } from '../state/tokens.ts'
import { readGroupChange, toOutcome, submitFor, type SubmitForDeps, withdrawFor } from './agent-changes.ts'
import { type CloseDeps, closeSession, openSession } from './lifecycle.ts'

export interface ClientDeps extends CloseDeps {
  readonly principals: Principals
  readonly tokens: Pick<Tokens, 'find'>
}

/** The session of a client token, opened at its first use. Throws `unauthorized` or `forbidden`. */
export const clientSession = async (deps: ClientDeps, token: Digest | null): Promise<Session> => {
  const place = clientPlace(deps.principals.resolve(token, 'mcp'))
  const known = deps.sessions.at(place.agentGroupID, place.conversationID)
  if (known?.external === true) return known
  const session = await openSession(deps, place)
  if (token !== null && deps.tokens.find(token) !== undefined) return session
  // Revoked in the meantime: the session must not outlive its token.
  await closeSession(deps, session.id)
  throw new ServiceError('unauthorized')
}

type RequestDeps = ClientDeps & SubmitForDeps & Parameters<typeof withdrawFor>[0]

interface ClientSubmission {
  readonly token: Digest | null
  readonly kind: string
  readonly after: unknown
  readonly reason?: string | undefined
}

export const submitForClient = async (deps: RequestDeps, edge: string, { token, ...request }: ClientSubmission): Promise<Submitted> =>
  submitFor(deps, edge, { session: (await clientSession(deps, token)).id, ...request })

interface ClientChange {
  readonly token: Digest | null
  readonly id: ChangeID
  readonly reason?: string | undefined
}

/** Reads a change of the client's group. Throws `not-found` for a change of another group. */
export const readForClient = async (deps: RequestDeps, { token, id }: ClientChange) =>
  toOutcome(await readGroupChange(deps, { session: (await clientSession(deps, token)).id, id }))

export const withdrawForClient = async (deps: RequestDeps, edge: string, { token, ...request }: ClientChange) =>
  withdrawFor(deps, edge, { session: (await clientSession(deps, token)).id, ...request })
