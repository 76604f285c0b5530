// Trust on first use: a granted tool that did not exist when its grant was pinned is pinned when it is first seen. Kept in
// memory, so no call waits for the journal.
import { type Digest, limits, type Pinning, type ServerName } from '@gatehouse/contracts'
import type { Logger } from '@gatehouse/kernel'
import { type GrantRow, type Grants, type GrantTable, rowsOf } from '../state/grants.ts'
import type { Definitions, Seen } from '../state/tool-definitions.ts'
import { covers } from './checks.ts'

export interface TofuPins {
  /** Takes the covered tools that have no pin as they are declared now. */
  note(row: GrantRow, definitions: Definitions): void
  /** What was seen under the grant and is in no line yet. */
  of(row: GrantRow): ReadonlyMap<string, Digest>
  /** The grant with these pins too. */
  over(row: GrantRow): GrantRow
}

interface Sight {
  readonly changeID: string
  readonly tools: Map<string, Digest>
}

const nothing: ReadonlyMap<string, Digest> = new Map()

/** Neither part can hold a space. */
const placeOf = ({ grant }: GrantRow): string => `${grant.agentGroupID} ${grant.server}`

/** Under `warn` nothing is held to a pin, and under `strict` a person is asked first. */
const takes = ({ grant }: GrantRow, pinning: Pinning): boolean =>
  pinning === 'refuse' && grant.state === 'active' && grant.pinned !== 'none'

export const createTofuPins = (pinning: Pinning): TofuPins => {
  const sights = new Map<string, Sight>()
  const of = (row: GrantRow): ReadonlyMap<string, Digest> => {
    const sight = sights.get(placeOf(row))
    return sight?.changeID === row.grant.changeID ? sight.tools : nothing
  }
  return {
    note: (row, definitions) => {
      if (!takes(row, pinning)) return
      const tools = new Map([...of(row)].filter(([tool]) => !row.pins.has(tool)))
      for (const [tool, digest] of definitions) {
        if (row.pins.size + tools.size >= limits.grantPins) break
        if (covers(row, tool) && !row.pins.has(tool) && !tools.has(tool)) tools.set(tool, digest)
      }
      if (tools.size === 0) sights.delete(placeOf(row))
      else sights.set(placeOf(row), { changeID: row.grant.changeID, tools })
    },
    of,
    over: (row) => {
      const seen = of(row)
      return seen.size === 0 ? row : { ...row, pins: new Map([...seen, ...row.pins]) }
    },
  }
}

export interface RecordDeps {
  readonly firstSight: TofuPins
  readonly table: GrantTable
  readonly log: Logger
}

/** For each listing. At once, but while the table of grants is rebuilt. */
export const recordFirstSeen =
  ({ firstSight, table, log }: RecordDeps) =>
  (server: ServerName, { definitions }: Seen): void => {
    const note = (grants: Grants): void => {
      for (const row of rowsOf(grants, server)) firstSight.note(row, definitions)
    }
    const grants = table.now()
    if (grants !== undefined) return note(grants)
    table
      .current()
      .then(note)
      .catch((error: unknown) => log.warn('what a tool server declares was not noted', { server, error }))
  }
