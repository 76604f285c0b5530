// Handles one model request: authorize, reserve the budget, forward, record. Revocations and freezes also end running requests.
import {
  type gatewayModelProxy,
  isServiceError,
  limits,
  type ModelHolding,
  type ModelVerdict,
  type ProviderPower,
} from '@gatehouse/contracts'
import { Abandoned, type Exchange, type InFlightRequest, InFlightRequests } from '@gatehouse/kernel'
import type { Calls } from '@gatehouse/rpc'
import { type Budget, reckon } from './budget.ts'
import { type Finish, type ModelCall, type ModelCaller, newCall } from './call.ts'
import type { Agents } from './providers/provider.ts'
import type { ProviderTable } from './providers/table.ts'
import type { Recorder } from './records/recorder.ts'
import { ModelRefusal, sendRefusal } from './refusal.ts'
import { type Ask, checkPowers, readAsk, routeOf } from './requests/ask.ts'
import { explain, forward } from './stream/forward.ts'

export interface RequestTools {
  readonly gateway: Pick<Calls<typeof gatewayModelProxy>, 'authorizeModel'>
  readonly providers: ProviderTable
  readonly agents: Agents
  readonly budget: Budget
  readonly recorder: Recorder
  readonly flights: ModelFlights
}

type Allowed = Extract<ModelVerdict, { allowed: true }>

const unwritable = (): ModelRefusal =>
  new ModelRefusal('audit-unwritable', 'the record of the request cannot be written, so it is not answered')

const authorize = async ({ gateway }: RequestTools, call: ModelCall, { signal }: Exchange): Promise<Allowed> => {
  const { caller, provider, model } = call
  const verdict = await gateway.authorizeModel({ session: caller.id, provider, model }, { signal })
  if (!verdict.allowed) throw new ModelRefusal(verdict.code, verdict.reason)
  return verdict
}

/** With a daily limit every answer has a maximum, so that it cannot exceed the remaining tokens. */
const reserve = ({ budget }: RequestTools, call: ModelCall, { ask, allowed }: { ask: Ask; allowed: Allowed }): string => {
  const { format } = ask.route.path
  const { tokensPerDay, agentGroupID } = allowed
  const named = format.maxOutput(ask.body)
  const left = tokensPerDay === undefined ? Infinity : budget.left(agentGroupID, tokensPerDay) - ask.input
  const output = named ?? Math.max(1, Math.min(limits.modelOutput, left))
  const reservation = budget.reserve(agentGroupID, ask.input + output, tokensPerDay)
  if (reservation === undefined)
    throw new ModelRefusal(
      'budget-exhausted',
      `expected a request within what is left of ${tokensPerDay} tokens a day, got one of about ${ask.input} tokens and up to ${output} of answer: ask for less, wait for the next day (UTC), or ask a person to raise modelTokensPerDay`,
    )
  call.reserved = { input: ask.input, output }
  call.reservation = reservation
  const bounded = named === undefined && tokensPerDay !== undefined ? format.withMaxOutput(ask.body, output) : ask.body
  const complete = format.complete(bounded)
  return complete === ask.body ? ask.text : JSON.stringify(complete)
}

const noteSlot = ({ recorder }: RequestTools, call: ModelCall): void => {
  try {
    call.slot = recorder.begin(call)
  } catch {
    throw unwritable()
  }
}

const run = async (tools: RequestTools, call: ModelCall, exchange: Exchange): Promise<Finish> => {
  const { request, response, signal, giveUp } = exchange
  const route = routeOf(request, tools.providers)
  const { provider, key } = route.keyed
  call.provider = provider.name
  if (call.caller.running > limits.sessionModelCalls)
    throw new ModelRefusal('busy', `expected at most ${limits.sessionModelCalls} requests at a time: wait for one to end`, {
      headers: { 'retry-after': '1' },
    })
  if (!tools.recorder.isWritable) throw unwritable()
  const ask = await readAsk(request, route)
  call.model = ask.model.slice(0, 128)
  call.bytesIn = ask.bytes
  const flight = { session: call.caller, provider: provider.name, model: ask.model, powers: ask.powers, giveUp }
  tools.flights.enter(flight)
  try {
    const allowed = await authorize(tools, call, exchange)
    checkPowers(ask, allowed.powers)
    const body = reserve(tools, call, { ask, allowed })
    noteSlot(tools, call)
    await tools.flights.admit(flight)
    signal.throwIfAborted()
    return await forward({ ask, body, headers: request.headers, response, agent: tools.agents.of(provider), secret: key, signal }, call)
  } finally {
    tools.flights.leave(flight)
  }
}

/** An error of the unit before anything was sent. */
const refusalOf = (error: unknown): ModelRefusal => {
  if (isServiceError(error))
    return new ModelRefusal('unavailable', 'the unit cannot decide about the request now: try again in a moment', {
      headers: { 'retry-after': '1' },
    })
  return explain(error)
}

const answer = async (tools: RequestTools, call: ModelCall, exchange: Exchange): Promise<Finish> => {
  const { request, response } = exchange
  try {
    return await run(tools, call, exchange)
  } catch (error) {
    const refusal = refusalOf(error)
    call.code = refusal.code
    request.resume()
    return () => sendRefusal(response, refusal)
  }
}

export const createHandle =
  (tools: RequestTools) =>
  async (caller: ModelCaller, exchange: Exchange): Promise<undefined> => {
    const { response, started } = exchange
    const call = newCall(caller, started)
    caller.running += 1
    try {
      const finish = await answer(tools, call, exchange)
      const tokens = reckon({ end: call.end, usage: call.usage(), bytesOut: call.bytesOut, streamed: call.streamed }, call.reserved)
      call.reservation?.settle(tokens.input + tokens.output)
      await tools.recorder.end(call, tokens).then(finish, () => {
        // An answer without a record is not completed.
        if (response.headersSent) response.destroy()
        else sendRefusal(response, unwritable())
      })
    } finally {
      caller.running -= 1
    }
  }

/** Running requests, checked again when a group's permissions change or a freeze begins. */
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
