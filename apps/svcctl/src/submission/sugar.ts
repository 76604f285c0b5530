// Flags that spare a JSON for the kinds that people ask for by hand.
import { ServiceError } from '@gatehouse/contracts'

export interface Sugar {
  readonly group: string
  readonly text?: string | undefined
  readonly server?: string | undefined
  readonly tool?: readonly string[] | undefined
  readonly 'all-tools'?: boolean | undefined
  readonly name?: string | undefined
  readonly agent?: string | undefined
}

type Maker = (sugar: Sugar) => Record<string, unknown>

const missing = (kind: string, flags: string): ServiceError =>
  new ServiceError('invalid', { detail: `expected ${flags} for a change of kind ${kind}, or its state by --after or --file` })

const makers: Readonly<Record<string, Maker>> = {
  persona: ({ text }) => {
    if (text === undefined) throw missing('persona', '--text')
    return { instructions: text }
  },
  mcp_access: ({ server, tool = [], 'all-tools': all = false }) => {
    if (server === undefined || (tool.length === 0 && !all)) throw missing('mcp_access', '--server and --tool (or --all-tools)')
    return { server, tools: all ? [] : tool }
  },
  mcp_revoke: ({ server, tool = [] }) => {
    if (server === undefined) throw missing('mcp_revoke', '--server')
    return tool.length === 0 ? { server } : { server, tools: tool }
  },
  agent_create: ({ group, name = group, agent, text }) => {
    if (agent === undefined) throw missing('agent_create', '--agent')
    return { id: group, name, agent, ...(text !== undefined && { persona: text }) }
  },
}

/** Throws for a kind without sugar and for sugar that lacks a part. */
export const fromSugar = (kind: string, sugar: Sugar): Record<string, unknown> => {
  const make = Object.hasOwn(makers, kind) ? makers[kind] : undefined
  if (make === undefined)
    throw new ServiceError('invalid', { detail: `expected the wanted state of a change of kind ${kind} by --after or --file` })
  return make(sugar)
}
