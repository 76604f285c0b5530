// Lists and calls of clients outside of a sandbox. The gateway resolves the token of each request to its session:
// no request names a session, and what is allowed is decided as for a sandbox.
import {
  type brokerControlPlane,
  type Digest,
  type gatewayBroker,
  limits,
  ServiceError,
  type SessionID,
  type ToolCall,
  type ToolResult,
} from '@gatehouse/contracts'
import { type Bounds, parseName, type RunningExchanges } from '@gatehouse/kernel'
import type { Calls, Handlers } from '@gatehouse/rpc'
import type { CallServices } from '../calls/call.ts'
import { refuse, writeResult } from '../calls/outcome.ts'
import { createRecordedCall } from '../calls/recorded-call.ts'
import { createRecordedList } from '../calls/recorded-list.ts'
import type { CallSession } from '../calls/session.ts'
import { Client, type ClientPatience, type ClientRequest, createSerialQueue } from './client.ts'

export interface ClientsOptions extends ClientPatience {
  readonly services: CallServices
  readonly running: RunningExchanges
  /** False where the unit serves none: then every request is refused. */
  readonly isEnabled: boolean
  /** Lists and calls are counted by the minute. */
  readonly isRated: boolean
}

type ClientHandlers = Pick<Handlers<typeof brokerControlPlane>, 'clientList' | 'clientCall'>

/** Bytes for the frame around a result. */
const mostResult = limits.rpcFrame - 64 * 1024

const tooManyWait = (): ServiceError =>
  new ServiceError('rate-limited', {
    detail: 'too many requests are waiting',
    hint: 'wait for answers before the next request',
  })

const boundsOf = (isRated: boolean, session: CallSession): { calls: Bounds; lists: Bounds } => {
  const perMinute = (): number => Math.max(limits.sessionCallsPerMinute, session.callsPerMinute ?? 0)
  return {
    calls: { inFlight: limits.sessionCallsInFlight, ...(isRated && { perMinute }) },
    lists: { inFlight: limits.sessionCallsInFlight, ...(isRated && { perMinute: limits.sessionListsPerMinute }) },
  }
}

/** A reply to the control plane: the value, or the error that it rejects with. */
interface ClientReply {
  readonly bytes: number
  take(): ToolResult
}

const writer = {
  most: mostResult,
  answer: ({ result, text }: ReturnType<typeof writeResult>): ClientReply => ({ bytes: Buffer.byteLength(text), take: () => result }),
  fault: (error: ServiceError): ClientReply => ({
    bytes: 0,
    take: () => {
      throw error
    },
  }),
}

export class Clients {
  readonly handlers: ClientHandlers
  readonly #options: ClientsOptions
  readonly #clients = new Map<SessionID, Client>()

  constructor(options: ClientsOptions) {
    this.#options = options
    const list = createRecordedList(options.services)
    const call = createRecordedCall(options.services, writer)
    this.handlers = {
      clientList: ({ token }, { signal }) =>
        this.#serve(token, signal, (client, request) =>
          createSerialQueue(client.lists, request, async (turn) => {
            if (turn === 'full') return this.#refuseList(client, request)
            const answer = await list(client.session, request)
            if ('fault' in answer) throw answer.fault
            return { tools: answer.tools.map(({ tool }) => tool).toSorted((one, other) => (one.name < other.name ? -1 : 1)) }
          }),
        ),
      clientCall: ({ token, call: wanted }, { signal }) =>
        this.#serve(token, signal, (client, request) =>
          createSerialQueue(client.calls, request, async (turn) => {
            if (turn === 'full') return this.#refuseCall(client, wanted.name, request)
            const read = async (onBytes: (received: number) => void): Promise<ToolCall> => {
              onBytes(Buffer.byteLength(JSON.stringify(wanted)))
              return wanted
            }
            return (await call(client.session, { ...request, read })).take()
          }),
        ),
    }
  }

  /** Ends what runs for the session. True if it was one of these. */
  closed(session: SessionID): boolean {
    const client = this.#clients.get(session)
    this.#clients.delete(session)
    client?.end()
    return client !== undefined
  }

  /** Sessions whose end event was missed. */
  async findClosed(gateway: Pick<Calls<typeof gatewayBroker>, 'grants'>): Promise<SessionID[]> {
    const known = [...this.#clients.keys()]
    const answers = await Promise.all(known.map((session) => gateway.grants({ session })))
    return known.filter((_, index) => answers[index]?.agentGroupID === null)
  }

  async #serve<T>(token: Digest, left: AbortSignal, act: (client: Client, request: ClientRequest) => Promise<T>): Promise<T> {
    const client = await this.#find(token, left)
    const work = client.run(left, (request) => act(client, request))
    this.#options.running.add(work.then(() => undefined).catch(() => undefined))
    return work
  }

  async #find(token: Digest, signal: AbortSignal): Promise<Client> {
    const { services, isEnabled, isRated } = this.#options
    if (!isEnabled) throw new ServiceError('forbidden', { detail: 'this unit serves no clients outside of a sandbox' })
    const { session: id, agentGroupID } = await services.gateway.clientSession({ token }, { signal })
    const known = this.#clients.get(id)
    if (known !== undefined) return known
    const session: CallSession = { id, agentGroupID, names: undefined }
    const client = new Client(session, this.#options, boundsOf(isRated, session))
    this.#clients.set(id, client)
    return client
  }

  /** It is recorded like every refusal. */
  async #refuseCall({ session }: Client, name: string, { started }: ClientRequest): Promise<ToolResult> {
    const outcome = refuse(parseName(name) ?? { server: '', tool: name }, 'busy')
    const { result, text } = writeResult(outcome)
    const { server, tool } = outcome.address
    const pending = this.#options.services.recorder.begin(session, 'call', { server, tool })
    const sent = Buffer.byteLength(text)
    await pending.write({ server, tool, status: 'refused', code: 'busy', received: 0, sent, duration: performance.now() - started })
    return result
  }

  async #refuseList({ session }: Client, { started }: ClientRequest): Promise<never> {
    const pending = this.#options.services.recorder.begin(session, 'list')
    await pending.write({ server: '', status: 'refused', code: 'busy', received: 0, sent: 0, duration: performance.now() - started })
    throw tooManyWait()
  }
}
