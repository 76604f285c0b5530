// Evidence for a change, from the last observation of its tool server. Never asks the server, never waits.
import { type Digest, limits, Observation } from '@gatehouse/contracts'
import type { Rows } from '@gatehouse/store'
import * as v from 'valibot'
import { canonical, digestOf } from '../changes/digest.ts'
import type { Evidence, Wanted } from './evidence.ts'

export interface Attach {
  readonly rows: Rows
  /** The identity of the server's catalog entry now; undefined where it has none. */
  readonly entryDigest: Digest | undefined
  /** Milliseconds since the epoch. */
  readonly now: number
}

const readObservation = async (rows: Rows, server: string): Promise<Observation | undefined> => {
  const row = await rows.get<{ record: string }>('SELECT record FROM observations WHERE server = ?', [server])
  return row === undefined ? undefined : v.parse(Observation, JSON.parse(row.record))
}

const describe = (wanted: Wanted, observation: Observation, now: number): Evidence => {
  const tools = observation.tools.filter((tool) => wanted.tools.length === 0 || wanted.tools.includes(tool.name))
  const names = tools.map((tool) => tool.name)
  const common = {
    server: observation.server,
    entryDigest: observation.entryDigest,
    at: observation.at,
    age: Math.max(0, Math.round((now - Date.parse(observation.at)) / 1000)),
    missing: wanted.tools.filter((tool) => !names.includes(tool)),
  }
  return Buffer.byteLength(canonical(tools)) > limits.evidence
    ? { status: 'too-large', ...common, names, definitions: digestOf(tools) }
    : { status: 'observed', ...common, tools }
}

/** An observation of another entry than the present one says nothing about this server. */
export const attach = async (wanted: Wanted | undefined, { rows, entryDigest, now }: Attach): Promise<Evidence | null> => {
  if (wanted === undefined) return null
  const observation = await readObservation(rows, wanted.server)
  return observation === undefined || observation.entryDigest !== entryDigest
    ? { status: 'unavailable', server: wanted.server }
    : describe(wanted, observation, now)
}

/** Evidence that came later is no reason to ask again; evidence that changed or went is. */
export const evidenceMoved = (then: Evidence | null, now: Evidence | null): boolean =>
  then !== null && then.status !== 'unavailable' && material(then) !== material(now)

/** An observation made again with the same content is the same evidence. */
const material = (evidence: Evidence | null): string =>
  canonical(evidence === null || evidence.status === 'unavailable' ? evidence : { ...evidence, at: null, age: null })
