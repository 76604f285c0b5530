// How far a server's tools have moved from what the standing grant was given for.
import { type Change, type Grant, limits, type ToolDefinition } from '@gatehouse/contracts'
import { definitionDigest } from '@gatehouse/kernel'
import type { Rows } from '@gatehouse/store'
import { findChange } from '../changes/read.ts'
import type { Drift } from './evidence.ts'
import { evidenceOf, readDefinitions } from './whole.ts'

type Definition = ToolDefinition

const byName = (tools: readonly Definition[]): ReadonlyMap<string, Definition> => new Map(tools.map((tool) => [tool.name, tool]))

const toolsShown = async (rows: Rows, change: Change | undefined): Promise<readonly Definition[]> => {
  const evidence = change === undefined ? null : evidenceOf(change)
  if (evidence?.status === 'observed') return evidence.tools
  if (evidence?.status === 'too-large') return (await readDefinitions(rows, evidence.definitions))?.tools ?? []
  return []
}

/** The definitions that the grant's pins stand for, as far as the change that granted showed them. */
const pinnedTools = async (rows: Rows, grant: Grant): Promise<ReadonlyMap<string, Definition>> => {
  const shown = await toolsShown(rows, await findChange(rows, grant.changeID))
  return byName(shown.filter((tool) => definitionDigest(tool) === grant.pins[tool.name]))
}

export interface Present {
  readonly tools: readonly Definition[]
  /** Tools that the new grant would cover; empty for all. */
  readonly asked: readonly string[]
}

const sizeOf = (drift: readonly Drift[]): number => Buffer.byteLength(JSON.stringify(drift))

/** Two times a server's largest listing would be more than a frame. */
const most = limits.rpcFrame / 2

/** Pinned tools, among those asked for, that are no longer what they were. */
export const driftFrom = async (rows: Rows, grant: Grant | undefined, { tools, asked }: Present): Promise<Drift[]> => {
  if (grant === undefined) return []
  const present = byName(tools)
  const moved = Object.entries(grant.pins).filter(([tool, pin]) => {
    const now = present.get(tool)
    return (asked.length === 0 || asked.includes(tool)) && (now === undefined || definitionDigest(now) !== pin)
  })
  if (moved.length === 0) return []
  const pinned = await pinnedTools(rows, grant)
  const drift = moved.map(([tool]): Drift => {
    const was = pinned.get(tool)
    const now = present.get(tool)
    return { tool, ...(was === undefined ? {} : { was }), ...(now === undefined ? {} : { now }) }
  })
  return sizeOf(drift) > most ? drift.map(({ tool }) => ({ tool })) : drift
}
