// The name under which an agent sees a tool. What was listed is looked up in a table; only other names are parsed.
import { toolSeparator } from '@gatehouse/contracts'

export interface ToolAddress {
  readonly server: string
  readonly tool: string
}

export const exposedName = ({ server, tool }: ToolAddress): string => `${server}${toolSeparator}${tool}`

/** Parts at the first separator, which no server's label holds; null without one. */
export const parseName = (name: string): ToolAddress | null => {
  const at = name.indexOf(toolSeparator)
  const tool = name.slice(at + toolSeparator.length)
  return at <= 0 || tool === '' ? null : { server: name.slice(0, at), tool }
}
