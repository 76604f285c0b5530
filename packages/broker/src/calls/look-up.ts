// The tool that a name means to a session, by the session's table. A name that is missing there makes it build the table again, once,
// from what the granted servers declare.
import { type gatewayBroker, limits } from '@gatehouse/contracts'
import { exposedStart, type ToolAddress } from '@gatehouse/kernel'
import type { Calls } from '@gatehouse/rpc'
import type { Listing } from '../upstream/active-connection.ts'
import type { Servers } from '../upstream/servers.ts'
import type { Upstream } from '../upstream/upstream.ts'
import { type CallSession, createNameTable } from './session.ts'

export interface NameSources {
  readonly gateway: Pick<Calls<typeof gatewayBroker>, 'grants'>
  readonly servers: Pick<Servers, 'find'>
}

export interface NameQuery {
  readonly name: string
  /** A list that is kept may be too old to have the tool. */
  readonly isFresh?: boolean
}

const readListing = async (upstream: Upstream, isFresh: boolean, signal: AbortSignal): Promise<Listing | undefined> => {
  const within = AbortSignal.any([signal, AbortSignal.timeout(limits.connectTime)])
  try {
    return await (isFresh ? upstream.relist(within) : upstream.listing(within))
  } catch {
    signal.throwIfAborted()
    return upstream.lastListing
  }
}

export const buildAddresses = (server: string, listing: Listing | undefined): ToolAddress[] =>
  [...(listing?.tools.keys() ?? [])].map((tool) => ({ server, tool }))

/** Rejects with the signal's reason, and when the gateway cannot be asked. Waits only for servers that the tool can belong to. */
export const createLookUp =
  ({ gateway, servers }: NameSources) =>
  async (session: CallSession, { name, isFresh = false }: NameQuery, signal: AbortSignal): Promise<ToolAddress | undefined> => {
    const known = session.names?.get(name)
    if (known !== undefined) return known
    const { grants } = await gateway.grants({ session: session.id }, { signal })
    const addresses = await Promise.all(
      grants.map(async ({ server }) => {
        const upstream = servers.find(server, session.id)
        const isCandidate = upstream !== undefined && name.startsWith(exposedStart(server))
        return buildAddresses(server, isCandidate ? await readListing(upstream, isFresh, signal) : upstream?.lastListing)
      }),
    )
    session.names = createNameTable(addresses.flat())
    return session.names.get(name)
  }
