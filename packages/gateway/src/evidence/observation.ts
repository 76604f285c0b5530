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
import { computeAge, parseEvidence, readDefinitions, type StoredEvidence, type RequiredEvidence } from './stored.ts'

type Definition = ToolDefinition

const byName = (tools: readonly Definition[]): ReadonlyMap<string, Definition> => new Map(tools.map((tool) => [tool.name, tool]))

const readShownTools = async (rows: Rows, change: Change | undefined): Promise<readonly Definition[]> => {
  const evidence = change === undefined ? null : parseEvidence(change)
  if (evidence?.status === 'observed') return evidence.tools
  if (evidence?.status === 'too-large') return (await readDefinitions(rows, evidence.definitions))?.tools ?? []
  return []
}

/** The pinned definitions of a grant, if the change that granted it showed them. */
const readPinnedTools = async (rows: Rows, grant: Grant): Promise<ReadonlyMap<string, Definition>> => {
  const shown = await readShownTools(rows, await findChange(rows, grant.changeID))
  return byName(shown.filter((tool) => definitionDigest(tool) === grant.pins[tool.name]))
}

export interface Present {
  readonly tools: readonly Definition[]
  /** Tools that the new grant would cover; empty for all. */
  readonly requested: readonly string[]
}

const byteLength = (drift: readonly Drift[]): number => Buffer.byteLength(JSON.stringify(drift))

/** Maximum bytes of drift, which holds each definition twice and must fit in a frame. */
const maxDriftBytes = limits.rpcFrame / 2

/** The requested tools whose definitions differ from their pins. */
const readDrift = async (rows: Rows, grant: Grant | undefined, { tools, requested }: Present): Promise<Drift[]> => {
  if (grant === undefined) return []
  const present = byName(tools)
  const changed = Object.entries(grant.pins).filter(([tool, pin]) => {
    const now = present.get(tool)
    return (requested.length === 0 || requested.includes(tool)) && (now === undefined || definitionDigest(now) !== pin)
  })
  if (changed.length === 0) return []
  const pinned = await readPinnedTools(rows, grant)
  const drift = changed.map(([tool]): Drift => {
    const was = pinned.get(tool)
    const now = present.get(tool)
    return { tool, ...(was === undefined ? {} : { was }), ...(now === undefined ? {} : { now }) }
  })
  return byteLength(drift) > maxDriftBytes ? drift.map(({ tool }) => ({ tool })) : drift
}

export interface Attached {
  readonly evidence: Evidence | null
  /** Must be stored before a journal record refers to it. */
  readonly whole?: StoredEvidence
}

/** The last observation, if it is of the entry with this digest. */
export const readObservation = async (rows: Rows, server: ServerName, entryDigest: Digest): Promise<Observation | undefined> => {
  const row = await rows.get<{ record: string }>('SELECT record FROM observations WHERE server = ?', [server])
  const observation = row === undefined ? undefined : v.parse(Observation, JSON.parse(row.record))
  return observation?.entryDigest === entryDigest ? observation : undefined
}

/** The pins for a list of tools. Of two tools with one name the first counts, as for calls. */
export const buildPins = (tools: Observation['tools']): Record<string, Digest> =>
  Object.fromEntries(tools.toReversed().map((tool) => [tool.name, definitionDigest(tool)]))

type BrokerEvidence = Extract<RequiredEvidence, { from: 'broker' }>

const describe = async (
  rows: Rows,
  { server, tools: requested }: BrokerEvidence,
  known: { observation: Observation; context: ChangeContext },
): Promise<Attached> => {
  const { observation, context } = known
  const tools = observation.tools.filter((tool) => requested.length === 0 || requested.includes(tool.name))
  const names = tools.map((tool) => tool.name)
  const drift = await readDrift(rows, activeGrant(context, server), { tools: observation.tools, requested })
  const common = {
    server,
    entryDigest: observation.entryDigest,
    at: observation.at,
    age: computeAge(observation.at, context.now),
    missing: requested.filter((tool) => !names.includes(tool)),
  }
  const definitions = { tools, drift }
  if (Buffer.byteLength(canonical(definitions)) <= limits.evidence) return { evidence: { status: 'observed', ...common, tools, drift } }
  const digest = digestOf(definitions)
  const drifted = drift.map(({ tool }) => tool)
  return {
    evidence: { status: 'too-large', ...common, names, drifted, definitions: digest, pins: buildPins(tools) },
    whole: { digest, definitions },
  }
}

/** @param fresh takes no observation that is older than `limits.evidenceFresh` */
export const attachObservation = async (
  rows: Rows,
  required: BrokerEvidence,
  { context, fresh }: { context: ChangeContext; fresh: boolean },
): Promise<Attached> => {
  const { server } = required
  const entryDigest = context.servers?.get(server)
  if (entryDigest === undefined) return { evidence: { status: 'unavailable', server } }
  const observation = await readObservation(rows, server, entryDigest)
  const isUsable = observation !== undefined && (!fresh || context.now - Date.parse(observation.at) <= limits.evidenceFresh)
  return isUsable ? describe(rows, required, { observation, context }) : { evidence: { status: 'unavailable', server, entryDigest } }
}
