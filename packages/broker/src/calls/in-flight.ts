// Calls that run now, judged again when a grant changes and when a freeze comes.
import type { gatewayBroker, Result } from '@gatehouse/contracts'
import { Abandoned, type InFlightRequest, InFlightRequests, type ToolAddress } from '@gatehouse/kernel'
import type { Calls } from '@gatehouse/rpc'
import type { CallSession } from './session.ts'

export interface CallFlight extends InFlightRequest {
  readonly session: CallSession
  readonly address: ToolAddress
}

type Holding = Result<typeof gatewayBroker, 'grants'>

export type InFlight = InFlightRequests<CallFlight, Holding>

const reasonAgainst = ({ frozen, grants }: Holding, { address: { server, tool } }: CallFlight): Abandoned | undefined => {
  if (frozen) return new Abandoned('frozen')
  const grant = grants.find((each) => each.server === server)
  const isGranted = grant !== undefined && (grant.tools.length === 0 || grant.tools.includes(tool))
  return isGranted ? undefined : new Abandoned('revoked')
}

export const createInFlight = (gateway: Pick<Calls<typeof gatewayBroker>, 'grants'>): InFlight =>
  new InFlightRequests({ ask: (session) => gateway.grants({ session }), reasonAgainst })
