// Digests of the tool definitions that each server last declared, in memory.
import { type Digest, Observation, type ServerName } from '@gatehouse/contracts'
import { definitionDigest } from '@gatehouse/kernel'
import type { Rows } from '@gatehouse/store'
import * as v from 'valibot'

/** Digests of definitions by the name of the tool. */
export type Definitions = ReadonlyMap<string, Digest>

export interface ListedTools {
  readonly entryDigest: Digest
  readonly at: string
  readonly definitions: Definitions
}

export interface ToolDefinitions {
  /** Undefined if this entry was not listed yet. Definitions of an earlier entry do not count. */
  of(server: string, entryDigest: Digest | undefined): ListedTools | undefined
  keep(observation: Observation): void
  load(rows: Rows): Promise<void>
}

/** Throws for text with a lone surrogate, which cannot be digested. */
const digests = ({ tools }: Observation): Definitions => new Map(tools.map((tool) => [tool.name, definitionDigest(tool)]))

/** @param onListing called with each listing before it applies to calls */
export const createToolDefinitions = (onListing: (server: ServerName, seen: ListedTools) => void = () => {}): ToolDefinitions => {
  const servers = new Map<string, ListedTools>()
  const keep = (observation: Observation): void => {
    const { server, entryDigest, at } = observation
    const listing = { entryDigest, at, definitions: digests(observation) }
    onListing(server, listing)
    servers.set(server, listing)
  }
  return {
    of: (server, entryDigest) => {
      const listing = servers.get(server)
      return listing?.entryDigest === entryDigest ? listing : undefined
    },
    keep,
    load: async (rows) => {
      const found = await rows.all<{ record: string }>('SELECT record FROM observations')
      for (const { record } of found) keep(v.parse(Observation, JSON.parse(record)))
    },
  }
}
