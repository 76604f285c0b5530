// Client of `tools.sock`: lists the granted tools and calls one of them.
import { stat } from 'node:fs/promises'
import { explain, fields, type Fields, list, problemCode, text } from './fields.ts'
import { type Answer, retryUntilAccepted } from './request.ts'

const listTime = 60_000
/** The host's own deadline for a call is shorter. */
const callTime = 180_000

/** The host refused the list, because of a freeze and not a fault. */
export class ListRefused extends Error {}

export interface GrantedTool {
  /** `<server>__<tool>`. */
  readonly name: string
  readonly description: string
  readonly inputSchema: Fields
}

export interface ToolsClient {
  /** The granted tools, sorted by name. Waits while the host restarts. Rejects with `ListRefused` during a freeze. */
  list(): Promise<GrantedTool[]>
  /** Not retried: rejects with `Unanswered` if the response is lost. */
  call(name: string, args: unknown): Promise<Answer>
}

const toTool = (value: unknown): GrantedTool[] => {
  const tool = fields(value)
  const name = text(tool['name'])
  return name === undefined ? [] : [{ name, description: text(tool['description']) ?? '', inputSchema: fields(tool['inputSchema']) }]
}

/** Null if the unit has no tool servers. */
export const connectTools = async (socket: string, signal: AbortSignal): Promise<ToolsClient | null> => {
  const socketStatus = await stat(socket).catch(() => null)
  if (socketStatus === null) return null
  return {
    list: async () => {
      const { status, body } = await retryUntilAccepted({ socket, method: 'GET', path: '/tools', time: listTime, signal }, 'always')
      if (problemCode(body) === 'frozen') throw new ListRefused(explain(body, status))
      return list(fields(body)['tools'])
        .flatMap(toTool)
        .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    },
    call: (name, args) =>
      retryUntilAccepted({ socket, method: 'POST', path: '/call', body: { name, arguments: args }, time: callTime, signal }, 'unsent'),
  }
}
