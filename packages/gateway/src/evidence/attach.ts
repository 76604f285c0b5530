// Evidence for a change, from what its witness last reported. Asks nobody, never waits.
import type { Rows } from '@gatehouse/store'
import type { World } from '../registry/world.ts'
import type { Wanted } from './evidence.ts'
import { type Attached, attachObservation } from './observation.ts'
import { attachSightings } from './sightings.ts'
import { attachTree } from './trees.ts'

export interface Attach {
  readonly rows: Rows
  readonly world: World
  /** What is too old for a new change still tells whether an old one has moved. */
  readonly fresh: boolean
}

export const attach = async (wanted: Wanted | undefined, { rows, world, fresh }: Attach): Promise<Attached> => {
  switch (wanted?.from) {
    case undefined:
      return { evidence: null }
    case 'change':
      return { evidence: wanted.evidence }
    case 'broker':
      return attachObservation(rows, wanted, { world, fresh })
    case 'runner':
      return { evidence: await attachSightings(rows, wanted.sources, { now: world.now, fresh }) }
    case 'registry':
      return { evidence: await attachTree(rows, wanted.names, { now: world.now, fresh }) }
  }
}
