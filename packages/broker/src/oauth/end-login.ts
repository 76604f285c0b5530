// Ends a login of the unit at a remote tool server, also of a server that is no longer in the catalog.
import type { Params, gatewayBroker, ServerName } from '@gatehouse/contracts'
import { sha256 } from '@gatehouse/kernel'
import type { LoginServices } from './login-services.ts'

export interface LoginEnd {
  readonly cause: Params<typeof gatewayBroker, 'loggedOut'>['cause']
  /** Who ended it; absent where the broker did. */
  readonly principal?: string | undefined
}

/** What somebody asks for is journaled before it is done; what has ended by itself has ended. */
export const endLogin = async (
  { store, gateway, log }: Pick<LoginServices, 'store' | 'gateway' | 'log'>,
  server: ServerName,
  { cause, principal }: LoginEnd,
): Promise<void> => {
  const login = store.get(server)
  if (login === undefined) return
  const { grant, issuer, access } = login
  const by = principal === undefined ? {} : { principal }
  const told = gateway.loggedOut({ server, ...by, grant, issuer, token: sha256(access), cause })
  if (cause === 'asked') await told
  else await told.catch((error: unknown) => log.warn('the end of a login could not be journaled', { server, error }))
  await store.remove(server)
}
