// Journals that the unit was logged in or out at a remote tool server. The token is the broker's alone: here is its digest.
import { gatewayBroker, type Params, ServiceError } from '@gatehouse/contracts'
import type { Ledger } from '../ledger/ledger.ts'
import type { Catalog } from '../state/catalog.ts'

interface LoginDeps {
  readonly catalog: Catalog
  readonly ledger: Ledger
}

type Login = Params<typeof gatewayBroker, 'loggedIn'>
type Logout = Params<typeof gatewayBroker, 'loggedOut'>

const edge = gatewayBroker.caller

const commit = async (ledger: Ledger, stage: 'server-login' | 'server-logout', { principal = edge, ...detail }: Login | Logout) => {
  await ledger.commit([{ stage, edge, principal, detail }])
}

/** Throws `conflict` where the entry does not ask for a login, or no longer does. */
export const recordLogin = async ({ catalog, ledger }: LoginDeps, login: Login): Promise<void> => {
  const entry = catalog.item(login.server)?.entry
  if (entry?.transport !== 'http' || entry.auth === undefined)
    throw new ServiceError('conflict', { detail: `expected a tool server whose entry asks for a login, got ${login.server}` })
  await commit(ledger, 'server-login', login)
}

/** Also of a server that is no longer in the catalog. */
export const recordLogout = ({ ledger }: LoginDeps, logout: Logout): Promise<void> => commit(ledger, 'server-logout', logout)
