// The name under which an agent sees a tool, valid for every model API. Names are resolved through a table and never parsed back.
import { toolSeparator } from '@gatehouse/contracts'
import { sha256 } from './canonical.ts'

export interface ToolAddress {
  readonly server: string
  readonly tool: string
}

const maxLength = 64
const digestLength = 8
const validName = new RegExp(`^[a-zA-Z0-9_-]{1,${maxLength}}$`)

/** The full name, for people and records. Not every model API accepts it. */
export const fullName = ({ server, tool }: ToolAddress): string => `${server}${toolSeparator}${tool}`

const stem = (name: string): string => name.replaceAll(/[^a-zA-Z0-9_-]/g, '_').slice(0, maxLength - digestLength - 1)

/** A name that no other tool can have. */
export const distinctName = (address: ToolAddress): string =>
  // Server names contain no space, so no two tools have the same digest input.
  `${stem(fullName(address))}_${sha256(`${address.server} ${address.tool}`).slice(0, digestLength)}`

/** The prefix of the names of all tools of a server. */
export const exposedPrefix = (server: string): string => stem(fullName({ server, tool: '' }))

/** The name to use where no other tool has the same one. */
export const exposedName = (address: ToolAddress): string => {
  const full = fullName(address)
  return validName.test(full) ? full : distinctName(address)
}

/**
 * Splits a name at the first separator, which no server label contains; null without one. For names that are in no table: the result
 * names the likely tool in the gateway's refusal and in the record, and no tool is called by it.
 */
export const parseName = (name: string): ToolAddress | null => {
  const at = name.indexOf(toolSeparator)
  const tool = name.slice(at + toolSeparator.length)
  return at <= 0 || tool === '' ? null : { server: name.slice(0, at), tool }
}
