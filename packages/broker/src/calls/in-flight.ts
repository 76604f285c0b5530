// Calls that run now. A grant that is taken away ends them too, not only the next ones.
import type { EventPayload, gatewayBroker } from '@gatehouse/contracts'
import type { Calls } from '@gatehouse/rpc'
import type { ToolAddress } from '../names/exposed-name.ts'
import { Abandoned } from '../upstream/abandoned.ts'
import type { CallSession } from './session.ts'

export interface Flight {
  readonly session: CallSession
  readonly address: ToolAddress
  /** Ends the call, here and at its server. */
  readonly giveUp: (reason: Abandoned) => void
}

export class InFlight {
  readonly #gateway: Pick<Calls<typeof gatewayBroker>, 'grants'>
  readonly #flights = new Set<Flight>()

  constructor(gateway: Pick<Calls<typeof gatewayBroker>, 'grants'>) {
    this.#gateway = gateway
  }

  enter(flight: Flight): void {
    this.#flights.add(flight)
  }

  leave(flight: Flight): void {
    this.#flights.delete(flight)
  }

  async recheck({ agentGroupID, server }: EventPayload<typeof gatewayBroker, 'grant-changed'>): Promise<void> {
    const touched = [...this.#flights].filter(({ session, address }) => session.agentGroupID === agentGroupID && address.server === server)
    await Promise.all(touched.map((flight) => this.#recheckOne(flight)))
  }

  async #recheckOne({ session, address, giveUp }: Flight): Promise<void> {
    const { grants } = await this.#gateway.grants({ session: session.id })
    const grant = grants.find(({ server }) => server === address.server)
    const isGranted = grant !== undefined && (grant.tools.length === 0 || grant.tools.includes(address.tool))
    if (!isGranted) giveUp(new Abandoned('revoked'))
  }
}
