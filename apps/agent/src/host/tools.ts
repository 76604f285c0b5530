// Client of `tools.sock`: lists the granted tools and calls one of them.
import { stat } from 'node:fs/promises'
import { explain, fields, type Fields, list, problemCode, text } from './fields.ts'
import { type Answer, retryUntilAccepted } from './request.ts'

const listTime = 60_000
/** The host's own deadline for a call is shorter. */
const callTime = 180_000

/** The host lists nothing now, by decision and not by a fault. */
export class ListRefused extends Error {}

export interface GrantedTool {
  /** `<server>__<tool>`. */
  readonly name: string
  readonly description: string
  readonly inputSchema: Fields
}

export interface ToolsClient {
  /** By name, sorted. Waits for a host that restarts; rejects with `ListRefused` while the group is frozen. */
  list(): Promise<GrantedTool[]>
  /** Made once: an answer that is lost rejects with `Unanswered`. */
  call(name: string, args: unknown): Promise<Answer>
}

const toTool = (value: unknown): GrantedTool[] => {
  const tool = fields(value)
  const name = text(tool['name'])
  return name === undefined ? [] : [{ name, description: text(tool['description']) ?? '', inputSchema: fields(tool['inputSchema']) }]
}

export const connectTools = async (socket: string, signal: AbortSignal): Promise<ToolsClient | null> => {
  const found = await stat(socket).catch(() => null)
  if (found === null) return null
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
