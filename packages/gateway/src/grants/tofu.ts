// Trust on first use: a granted tool that did not exist when its grant was pinned is pinned when it is first listed. The pins are
// in memory, so no call waits for the journal.
import { type Digest, limits, type Pinning, type ServerName } from '@gatehouse/contracts'
import type { Logger } from '@gatehouse/kernel'
import { type GrantRow, type Grants, type GrantTable, rowsOf } from '../state/grants.ts'
import type { Definitions, ListedTools } from '../state/tool-definitions.ts'
import { covers } from './checks.ts'

export interface TofuPins {
  /** Pins the covered tools that have no pin with their current definitions. */
  note(row: GrantRow, definitions: Definitions): void
  /** The pins of the grant that are not journaled yet. */
  of(row: GrantRow): ReadonlyMap<string, Digest>
  /** The grant with these pins added. */
  over(row: GrantRow): GrantRow
}

interface NewPins {
  readonly changeID: string
  readonly tools: Map<string, Digest>
}

const nothing: ReadonlyMap<string, Digest> = new Map()

/** Neither part can contain a space. */
const toKey = ({ grant }: GrantRow): string => `${grant.agentGroupID} ${grant.server}`

/** Only under `refuse`: `warn` ignores pins, and `strict` requires an approval first. */
const isPinnable = ({ grant }: GrantRow, pinning: Pinning): boolean =>
  pinning === 'refuse' && grant.state === 'active' && grant.pinned !== 'none'

export const createTofuPins = (pinning: Pinning): TofuPins => {
  const pinsByGrant = new Map<string, NewPins>()
  const of = (row: GrantRow): ReadonlyMap<string, Digest> => {
    const pins = pinsByGrant.get(toKey(row))
    return pins?.changeID === row.grant.changeID ? pins.tools : nothing
  }
  return {
    note: (row, definitions) => {
      if (!isPinnable(row, pinning)) return
      const tools = new Map([...of(row)].filter(([tool]) => !row.pins.has(tool)))
      for (const [tool, digest] of definitions) {
        if (row.pins.size + tools.size >= limits.grantPins) break
        if (covers(row, tool) && !row.pins.has(tool) && !tools.has(tool)) tools.set(tool, digest)
      }
      if (tools.size === 0) pinsByGrant.delete(toKey(row))
      else pinsByGrant.set(toKey(row), { changeID: row.grant.changeID, tools })
    },
    of,
    over: (row) => {
      const added = of(row)
      return added.size === 0 ? row : { ...row, pins: new Map([...added, ...row.pins]) }
    },
  }
}

export interface RecordDeps {
  readonly tofuPins: TofuPins
  readonly table: GrantTable
  readonly log: Logger
}

/** Pins the new tools of each listing. Synchronous, except while the grant table is being rebuilt. */
export const recordFirstSeen =
  ({ tofuPins, table, log }: RecordDeps) =>
  (server: ServerName, { definitions }: ListedTools): void => {
    const note = (grants: Grants): void => {
      for (const row of rowsOf(grants, server)) tofuPins.note(row, definitions)
    }
    const grants = table.now()
    if (grants !== undefined) return note(grants)
    table
      .current()
      .then(note)
      .catch((error: unknown) => log.warn('could not pin the new tools of a tool server', { server, error }))
  }
