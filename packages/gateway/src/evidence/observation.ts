// Evidence for a grant: what the server was last seen to declare. An observation of another entry says nothing about it.
import { type Digest, limits, Observation, type ServerName } from '@gatehouse/contracts'
import { canonical, definitionDigest, digestOf } from '@gatehouse/kernel'
import type { Rows } from '@gatehouse/store'
import * as v from 'valibot'
import { standingGrant, type World } from '../registry/world.ts'
import { driftFrom } from './drift.ts'
import { ageOf, type Evidence, type Wanted } from './evidence.ts'
import type { Whole } from './whole.ts'

export interface Attached {
  readonly evidence: Evidence | null
  /** To be kept before a line names it. */
  readonly whole?: Whole
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

type Asked = Extract<Wanted, { from: 'broker' }>

const describe = async (
  rows: Rows,
  { server, tools: asked }: Asked,
  seen: { observation: Observation; world: World },
): Promise<Attached> => {
  const { observation, world } = seen
  const tools = observation.tools.filter((tool) => asked.length === 0 || asked.includes(tool.name))
  const names = tools.map((tool) => tool.name)
  const drift = await driftFrom(rows, standingGrant(world, server), { tools: observation.tools, asked })
  const common = {
    server,
    entryDigest: observation.entryDigest,
    at: observation.at,
    age: ageOf(observation.at, world.now),
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
  { world, fresh }: { world: World; fresh: boolean },
): Promise<Attached> => {
  const { server } = wanted
  const entryDigest = world.servers?.get(server)
  if (entryDigest === undefined) return { evidence: { status: 'unavailable', server } }
  const observation = await readObservation(rows, server, entryDigest)
  const usable = observation !== undefined && (!fresh || world.now - Date.parse(observation.at) <= limits.evidenceFresh)
  return usable ? describe(rows, wanted, { observation, world }) : { evidence: { status: 'unavailable', server, entryDigest } }
}
