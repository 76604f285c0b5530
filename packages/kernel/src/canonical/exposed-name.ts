// The name under which an agent sees a tool: one that every model API takes. It is looked up in a table, never read back.
import { toolSeparator } from '@gatehouse/contracts'
import { sha256 } from './canonical.ts'

export interface ToolAddress {
  readonly server: string
  readonly tool: string
}

const longest = 64
const digits = 8
const usable = new RegExp(`^[a-zA-Z0-9_-]{1,${longest}}$`)

/** As it would be if every model API took it; for people and records. */
export const fullName = ({ server, tool }: ToolAddress): string => `${server}${toolSeparator}${tool}`

const stem = (name: string): string => name.replaceAll(/[^a-zA-Z0-9_-]/g, '_').slice(0, longest - digits - 1)

/** Of its own, whatever other tools there are. */
export const distinctName = (address: ToolAddress): string =>
  // Of what no two tools share: names of servers hold no blank.
  `${stem(fullName(address))}_${sha256(`${address.server} ${address.tool}`).slice(0, digits)}`

/** What the names of all tools of a server begin with. */
export const exposedStart = (server: string): string => stem(fullName({ server, tool: '' }))

/** Where no other tool wants the same one. */
export const exposedName = (address: ToolAddress): string => {
  const full = fullName(address)
  return usable.test(full) ? full : distinctName(address)
}

/**
 * Parts at the first separator, which no server's label holds; null without one. It tells whom a name that is in no table seems to
 * mean, for the gateway's refusal and for the record; nothing is called by it.
 */
export const parseName = (name: string): ToolAddress | null => {
  const at = name.indexOf(toolSeparator)
  const tool = name.slice(at + toolSeparator.length)
  return at <= 0 || tool === '' ? null : { server: name.slice(0, at), tool }
}
