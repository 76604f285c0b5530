// What logins need of the broker.
import type { gatewayBroker } from '@gatehouse/contracts'
import type { Logger, Metrics, ReportSecret } from '@gatehouse/kernel'
import type { Fetch } from '@gatehouse/outbound'
import type { Calls } from '@gatehouse/rpc'
import type { AuthEntry } from './login.ts'
import type { LoginStore } from './login-store.ts'

export interface LoginServices {
  readonly store: LoginStore
  readonly gateway: Pick<Calls<typeof gatewayBroker>, 'loggedIn' | 'loggedOut'>
  readonly metrics: Metrics
  readonly log: Logger
  /** Of the host, as the catalog may name them. */
  readonly variables: Readonly<Record<string, string>>
  readonly secret: ReportSecret
  /** The way to authorization servers that the entry allows. */
  readonly createFetch: (entry: AuthEntry) => Promise<Fetch>
}
