// Requests that run now, judged again when a group's permissions change and when a freeze comes.
import type { gatewayModelProxy, ModelHolding, ProviderPower } from '@gatehouse/contracts'
import { Abandoned, type InFlightRequest, InFlightRequests } from '@gatehouse/kernel'
import type { Calls } from '@gatehouse/rpc'
import type { Budget } from '../budget/budget.ts'
import type { ModelCaller } from '../socket/caller.ts'

export interface ModelFlight extends InFlightRequest {
  readonly session: ModelCaller
  readonly provider: string
  readonly model: string
  readonly powers: ReadonlyMap<ProviderPower, string>
}

export type ModelFlights = InFlightRequests<ModelFlight, ModelHolding>

const reasonAgainst = (holding: ModelHolding, flight: ModelFlight, budget: Budget): Abandoned | undefined => {
  const { frozen, model, powers, tokensPerDay, agentGroupID } = holding
  if (frozen) return new Abandoned('frozen')
  const isModel = model?.provider === flight.provider && model.id === flight.model
  const hasPowers = [...flight.powers.keys()].every((power) => powers.includes(power))
  const isOver = agentGroupID !== null && tokensPerDay !== undefined && budget.isOver(agentGroupID, tokensPerDay)
  return isModel && hasPowers && !isOver ? undefined : new Abandoned('revoked')
}

export const createFlights = (gateway: Pick<Calls<typeof gatewayModelProxy>, 'holding'>, budget: Budget): ModelFlights =>
  new InFlightRequests({
    ask: (session) => gateway.holding({ session }),
    reasonAgainst: (holding, flight) => reasonAgainst(holding, flight, budget),
  })
