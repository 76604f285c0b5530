// Everything that the doors lead into, made once and handed on.
import type { GatewayBoot } from '@gatehouse/contracts'
import type { Journal } from '@gatehouse/journal'
import type { Logger, Metrics } from '@gatehouse/kernel'
import type { Store } from '@gatehouse/store'
import { type Catalog, openCatalog } from './catalog/file.ts'
import { applyApproved } from './changes/apply-approved.ts'
import { type ChangeIds, createIds } from './changes/id.ts'
import { createLock, type Lock } from './changes/lock.ts'
import { changeProjections } from './changes/redo.ts'
import { createRetry, type Retry } from './changes/retry.ts'
import { createAnnouncer } from './events/announce.ts'
import { createHall, type Hall } from './events/audience.ts'
import { createGrantTable, type GrantTable } from './grants/table.ts'
import { createLedger, type Ledger } from './ledger/ledger.ts'
import { createPrincipals, type Principals } from './principals/resolve.ts'
import { seedProjections } from './seed/seed.ts'
import { createOpenSessions, type OpenSessions } from './sessions/open-sessions.ts'

export interface GatewayDeps {
  readonly boot: Pick<GatewayBoot, 'mode' | 'version' | 'edges' | 'adminToken' | 'catalog' | 'identities' | 'seed' | 'sample'>
  readonly store: Store
  readonly journal: Journal
  readonly log: Logger
  readonly metrics: Metrics
  /** Milliseconds since the epoch. */
  readonly clock?: () => number
}

export interface Rooms extends Required<GatewayDeps> {
  readonly audience: Hall
  readonly table: GrantTable
  readonly ledger: Ledger
  readonly catalog: Catalog
  readonly sessions: OpenSessions
  readonly principals: Principals
  readonly ids: ChangeIds
  readonly lock: Lock
  readonly retries: Retry
  retry(): void
}

const initialCatalog = ({ mode, sample }: GatewayDeps['boot']) =>
  mode === 'dev' && sample !== null ? { sample: { transport: 'stdio' as const, command: sample.command, args: sample.args, env: {} } } : {}

/** Throws a `Refusal` for a catalog file that cannot be used. */
export const furnish = async (deps: GatewayDeps): Promise<Rooms> => {
  const { boot, store, journal, log, metrics } = deps
  const clock = deps.clock ?? Date.now
  const audience = createHall()
  const table = createGrantTable(store.read)
  const committed = createAnnouncer({ store, table, audience, log, metrics })
  const projections = { ...changeProjections, ...seedProjections }
  const retries: Retry = createRetry(() => applyApproved(rooms), log)
  const rooms: Rooms = {
    boot,
    store,
    journal,
    log,
    metrics,
    clock,
    audience,
    table,
    ledger: createLedger({ journal, store, projections, committed, log, metrics }),
    catalog: await openCatalog({ path: boot.catalog, initial: initialCatalog(boot) }),
    sessions: createOpenSessions({ identities: boot.identities, expected: boot.catalog === null ? [] : ['tools'] }),
    principals: createPrincipals(boot.adminToken),
    ids: createIds(store.read, clock),
    lock: createLock(),
    retries,
    retry: () => retries.wake(),
  }
  return rooms
}
