// Evidence for a grant: the tool definitions that the server last declared, and how they differ from the approved ones.
import {
  type Change,
  type Digest,
  type Grant,
  limits,
  Observation,
  type ServerName,
  type ToolDefinition,
  type Drift,
  type Evidence,
} from '@gatehouse/contracts'
import { canonical, definitionDigest, digestOf } from '@gatehouse/kernel'
import type { Rows } from '@gatehouse/store'
import * as v from 'valibot'
import { findChange } from '../state/changes.ts'
import { activeGrant, type ChangeContext } from '../state/unit-config.ts'
import { ageOf, evidenceOf, readDefinitions, type StoredEvidence, type RequiredEvidence } from './stored.ts'

/** How far a server's tools have moved from what the standing grant was given for. */
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
const driftFrom = async (rows: Rows, grant: Grant | undefined, { tools, asked }: Present): Promise<Drift[]> => {
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

export interface Attached {
  readonly evidence: Evidence | null
  /** To be kept before a line names it. */
  readonly whole?: StoredEvidence
}

/** The last one, if it is of the entry with this identity. */
export const readObservation = async (rows: Rows, server: ServerName, entryDigest: Digest): Promise<Observation | undefined> => {
  const row = await rows.get<{ record: string }>('SELECT record FROM observations WHERE server = ?', [server])
  const observation = row === undefined ? undefined : v.parse(Observation, JSON.parse(row.record))
  return observation?.entryDigest === entryDigest ? observation : undefined
}

/** What the pins of a grant are made of. Of two tools of one name the first counts, as it does for a call. */
export const pinsOf = (tools: Observation['tools']): Record<string, Digest> =>
  Object.fromEntries(tools.toReversed().map((tool) => [tool.name, definitionDigest(tool)]))

type Asked = Extract<RequiredEvidence, { from: 'broker' }>

const describe = async (
  rows: Rows,
  { server, tools: asked }: Asked,
  seen: { observation: Observation; context: ChangeContext },
): Promise<Attached> => {
  const { observation, context } = seen
  const tools = observation.tools.filter((tool) => asked.length === 0 || asked.includes(tool.name))
  const names = tools.map((tool) => tool.name)
  const drift = await driftFrom(rows, activeGrant(context, server), { tools: observation.tools, asked })
  const common = {
    server,
    entryDigest: observation.entryDigest,
    at: observation.at,
    age: ageOf(observation.at, context.now),
    missing: asked.filter((tool) => !names.includes(tool)),
  }
  const definitions = { tools, drift }
  if (Buffer.byteLength(canonical(definitions)) <= limits.evidence) return { evidence: { status: 'observed', ...common, tools, drift } }
  const digest = digestOf(definitions)
  const drifted = drift.map(({ tool }) => tool)
  return {
    evidence: { status: 'too-large', ...common, names, drifted, definitions: digest, pins: pinsOf(tools) },
    whole: { digest, definitions },
  }
}

/** @param fresh takes no observation that is older than `limits.evidenceFresh` */
export const attachObservation = async (
  rows: Rows,
  wanted: Asked,
  { context, fresh }: { context: ChangeContext; fresh: boolean },
): Promise<Attached> => {
  const { server } = wanted
  const entryDigest = context.servers?.get(server)
  if (entryDigest === undefined) return { evidence: { status: 'unavailable', server } }
  const observation = await readObservation(rows, server, entryDigest)
  const usable = observation !== undefined && (!fresh || context.now - Date.parse(observation.at) <= limits.evidenceFresh)
  return usable ? describe(rows, wanted, { observation, context }) : { evidence: { status: 'unavailable', server, entryDigest } }
}
