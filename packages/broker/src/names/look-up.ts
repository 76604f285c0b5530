// Which tool a name means to a session: what its table says. A table that lacks the name, or that there is none of yet, is made
// anew from what the granted servers declare, once.
import { type gatewayBroker, limits } from '@gatehouse/contracts'
import type { Calls } from '@gatehouse/rpc'
import type { CallSession } from '../calls/session.ts'
import type { Listing } from '../upstream/live.ts'
import type { Servers } from '../upstream/servers.ts'
import type { Upstream } from '../upstream/upstream.ts'
import { exposedStart, type ToolAddress } from '@gatehouse/kernel'
import { createNameTable } from './table.ts'

export interface NameSources {
  readonly gateway: Pick<Calls<typeof gatewayBroker>, 'grants'>
  readonly servers: Pick<Servers, 'find'>
}

export interface Wanted {
  readonly name: string
  /** A list that is kept may be too old to have the tool. */
  readonly isFresh?: boolean
}

const listingOf = async (upstream: Upstream, isFresh: boolean, signal: AbortSignal): Promise<Listing | undefined> => {
  const within = AbortSignal.any([signal, AbortSignal.timeout(limits.connectTime)])
  try {
    return await (isFresh ? upstream.relist(within) : upstream.listing(within))
  } catch {
    signal.throwIfAborted()
    return upstream.lastListing
  }
}

export const addressesOf = (server: string, listing: Listing | undefined): ToolAddress[] =>
  [...(listing?.tools.keys() ?? [])].map((tool) => ({ server, tool }))

/** Rejects with the signal's reason, and when the gateway cannot be asked. Only servers whose tool it can be are waited for. */
export const createLookUp =
  ({ gateway, servers }: NameSources) =>
  async (session: CallSession, { name, isFresh = false }: Wanted, signal: AbortSignal): Promise<ToolAddress | undefined> => {
    const known = session.names?.get(name)
    if (known !== undefined) return known
    const { grants } = await gateway.grants({ session: session.id }, { signal })
    const found = await Promise.all(
      grants.map(async ({ server }) => {
        const upstream = servers.find(server, session.id)
        const mayBeIts = upstream !== undefined && name.startsWith(exposedStart(server))
        return addressesOf(server, mayBeIts ? await listingOf(upstream, isFresh, signal) : upstream?.lastListing)
      }),
    )
    session.names = createNameTable(found.flat())
    return session.names.get(name)
  }
