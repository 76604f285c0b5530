// Digests of the tool definitions that each server last declared, in memory.
import { type Digest, Observation, type ServerName } from '@gatehouse/contracts'
import { definitionDigest } from '@gatehouse/kernel'
import type { Rows } from '@gatehouse/store'
import * as v from 'valibot'

/** Digests of definitions by the name of the tool. */
export type Definitions = ReadonlyMap<string, Digest>

export interface Seen {
  readonly entryDigest: Digest
  readonly at: string
  readonly definitions: Definitions
}

export interface ToolDefinitions {
  /** Undefined where this entry was not seen yet, whatever an entry before it declared. */
  of(server: string, entryDigest: Digest | undefined): Seen | undefined
  keep(observation: Observation): void
  load(rows: Rows): Promise<void>
}

/** Throws for text with a lone surrogate, which no digest is made of. */
const digests = ({ tools }: Observation): Definitions => new Map(tools.map((tool) => [tool.name, definitionDigest(tool)]))

/** @param kept hears of each listing before anybody is judged by it */
export const createToolDefinitions = (kept: (server: ServerName, seen: Seen) => void = () => {}): ToolDefinitions => {
  const servers = new Map<string, Seen>()
  const keep = (observation: Observation): void => {
    const { server, entryDigest, at } = observation
    const seen = { entryDigest, at, definitions: digests(observation) }
    kept(server, seen)
    servers.set(server, seen)
  }
  return {
    of: (server, entryDigest) => {
      const seen = servers.get(server)
      return seen?.entryDigest === entryDigest ? seen : undefined
    },
    keep,
    load: async (rows) => {
      const found = await rows.all<{ record: string }>('SELECT record FROM observations')
      for (const { record } of found) keep(v.parse(Observation, JSON.parse(record)))
    },
  }
}
