// Everything that the doors lead into, made once and handed on.
import { type GatewayBoot, limits } from '@gatehouse/contracts'
import type { HeldJournal } from '@gatehouse/journal'
import { type Clock, createClock, type Logger, type Metrics, retentionMs, wallMs } from '@gatehouse/kernel'
import type { Store } from '@gatehouse/store'
import type { Catalog } from './catalog/catalog.ts'
import { openCatalog } from './catalog/open.ts'
import { createImages, type Images } from './catalog/images.ts'
import { catalogProjections } from './catalog/lines.ts'
import { enforceWaiting } from './catalog/register.ts'
import { applyApproved } from './changes/apply-approved.ts'
import { expireAll } from './changes/expire.ts'
import { type ChangeIds, createIds } from './changes/id.ts'
import { createLock, type Lock } from './changes/lock.ts'
import { createOverlay, type Overlay } from './changes/overlay.ts'
import { changeProjections } from './changes/redo.ts'
import { forgetKeys } from './changes/repeat.ts'
import { createRetry, type Retry } from './changes/retry.ts'
import { createRounds, type Rounds } from './changes/rounds.ts'
import { createAnnouncer } from './events/announce.ts'
import { createHall, type Hall } from './events/audience.ts'
import { type Arrivals, createArrivals } from './evidence/arrivals.ts'
import { type Asking, createAsking } from './evidence/asking.ts'
import { createFreezes, type Freezes } from './freeze/freezes.ts'
import { freezeProjections } from './freeze/lines.ts'
import { type CallRates, createCallRates } from './grants/call-rates.ts'
import { type CallCounts, createCallCounts } from './grants/calls.ts'
import { createDeclared, type Declared } from './grants/declared.ts'
import { driftProjections } from './grants/drift-lines.ts'
import { createDriftWatch, type DriftWatch } from './grants/drift-watch.ts'
import { createFirstSight, type FirstSight, noteSights } from './grants/first-sight.ts'
import { createPauses, type Pauses } from './grants/pauses.ts'
import { review } from './grants/review.ts'
import { createGrantTable, type GrantTable } from './grants/table.ts'
import { createTelling } from './health/lacks.ts'
import { ownPaths } from './kinds/own-paths.ts'
import { createLedger, type Ledger } from './ledger/ledger.ts'
import { createFailures, type Failures } from './principals/failures.ts'
import { tokenProjections } from './principals/lines.ts'
import { createPrincipals, type Principals } from './principals/resolve.ts'
import { createTokens, type Tokens } from './principals/tokens.ts'
import { createUses, type Uses } from './principals/uses.ts'
import { respellProjections } from './registry/respell.ts'
import { createShares, type ReadShare } from './registry/shares.ts'
import { createSecrets, type Secrets } from './secrets/secrets.ts'
import { seedProjections } from './seed/seed.ts'
import { closeRemoved } from './sessions/close-removed.ts'
import { createLastCalls, type LastCalls } from './sessions/last-call.ts'
import { sessionProjections } from './sessions/lines.ts'
import { createOpenSessions, type OpenSessions } from './sessions/open-sessions.ts'
import { expectedSurfaces } from './sessions/surface.ts'

export interface GatewayDeps {
  readonly boot: Omit<GatewayBoot, 'installation' | 'logLevel'>
  readonly store: Store
  readonly journal: HeldJournal
  readonly log: Logger
  readonly metrics: Metrics
  /** Milliseconds since the epoch. */
  readonly clock?: () => number
  /** Milliseconds that have passed, whatever is set on the machine. */
  readonly elapsed?: () => number
  /** By which idempotency keys grow old; default that of the process. */
  readonly retention?: () => number
  /** Milliseconds that a submission waits for its witness. */
  readonly evidenceWait?: number
  /** Milliseconds that a submission waits for a tree of packages. */
  readonly treeWait?: number
  /** Milliseconds between two times that the definitions behind one grant are written about. */
  readonly driftPause?: number
}

export interface Rooms extends Required<Omit<GatewayDeps, 'elapsed'>> {
  /** Never steps back. */
  readonly clock: Clock
  readonly audience: Hall
  readonly table: GrantTable
  readonly counts: CallCounts
  readonly rates: CallRates
  readonly declared: Declared
  readonly firstSight: FirstSight
  readonly pauses: Pauses
  readonly drift: DriftWatch
  readonly ledger: Ledger
  readonly arrivals: Arrivals
  readonly asking: Asking
  readonly images: Images
  readonly secrets: Secrets
  readonly catalog: Catalog
  readonly sessions: OpenSessions
  readonly lastCalls: LastCalls
  readonly freezes: Freezes
  readonly principals: Principals
  readonly tokens: Tokens
  readonly uses: Uses
  readonly failures: Failures
  readonly overlay: Overlay
  readonly ids: ChangeIds
  readonly lock: Lock
  readonly retries: Retry
  readonly rounds: Rounds
  readonly ownPaths: readonly string[]
  readonly shareOf: ReadShare
  retry(): void
}

const initialCatalog = ({ mode, sample }: GatewayDeps['boot']) =>
  mode === 'dev' && sample !== null ? { sample: { transport: 'stdio' as const, ...sample, env: {} } } : {}

const projections = {
  ...changeProjections,
  ...tokenProjections,
  ...freezeProjections,
  ...sessionProjections,
  ...seedProjections,
  ...catalogProjections,
  ...driftProjections,
  ...respellProjections,
}

/** Those who may come in. */
const invite = (rooms: () => Rooms, { boot, log, clock }: Pick<Rooms, 'boot' | 'log' | 'clock'>) => {
  const people = {
    tokens: createTokens(),
    uses: createUses(),
    failures: createFailures({ commit: (lines) => rooms().ledger.commit(lines), log }),
  }
  return { ...people, principals: createPrincipals({ adminToken: boot.adminToken, ...people, clock }) }
}

const walk = (rooms: () => Rooms, log: Logger): Rounds => {
  const tell = createTelling(log)
  return createRounds({ every: limits.expirySweep, log }, [
    { what: 'the expiry of changes', run: () => expireAll(rooms()) },
    { what: 'the forgetting of idempotency keys', run: () => forgetKeys(rooms()) },
    { what: 'the writing of token uses', run: () => rooms().uses.save(rooms().store) },
    { what: 'the look at what is missing', run: async () => tell(rooms()) },
  ])
}

type Ground = Pick<
  Rooms,
  | 'boot'
  | 'store'
  | 'journal'
  | 'log'
  | 'metrics'
  | 'clock'
  | 'retention'
  | 'evidenceWait'
  | 'treeWait'
  | 'driftPause'
  | 'audience'
  | 'secrets'
  | 'table'
>

/** What needs no other room. */
const groundOf = ({
  clock: machine = wallMs,
  elapsed,
  retention = retentionMs,
  evidenceWait = limits.evidenceWait,
  treeWait = limits.treeTime,
  driftPause = limits.driftPause,
  ...deps
}: GatewayDeps): Ground => {
  const clock = createClock(machine, elapsed)
  return {
    ...deps,
    clock,
    retention,
    evidenceWait,
    treeWait,
    driftPause,
    audience: createHall(),
    secrets: createSecrets(deps.boot.keys.secrets, deps.boot.keys.formerSecrets),
    table: createGrantTable(deps.store.read, clock),
  }
}

/** What the tools of servers are, and what each grant has seen of them. */
const survey = ({ boot, table, log, driftPause }: Ground) => {
  const firstSight = createFirstSight(boot.pinning)
  return { firstSight, declared: createDeclared(noteSights({ firstSight, table, log })), pauses: createPauses(driftPause) }
}

const witnesses = (ground: Ground) => {
  const told = { arrivals: createArrivals(), asking: createAsking() }
  return { ...told, images: createImages({ ...ground, ...told }) }
}

const herald = (rooms: () => Rooms, ground: Ground) =>
  createAnnouncer({
    ...ground,
    groupRemoved: (agentGroupID) => closeRemoved(rooms(), agentGroupID),
    serverTouched: (server) => void rooms().drift.look(server),
  })

/** Throws a `Refusal` for a catalog file that cannot be used. */
export const furnish = async (deps: GatewayDeps): Promise<Rooms> => {
  const ground = groundOf(deps)
  const { boot, store, journal, log, metrics, clock, secrets } = ground
  metrics.touch('group_limit_reached_total', { limit: 'callsPerMinute' })
  const announcer = herald(() => rooms, ground)
  const retries: Retry = createRetry(async () => {
    const left = await applyApproved(rooms)
    await enforceWaiting(rooms)
    return left
  }, log)
  const rooms: Rooms = {
    ...ground,
    ...witnesses(ground),
    counts: createCallCounts(store, log),
    rates: createCallRates(deps.elapsed),
    ...survey(ground),
    drift: createDriftWatch((server) => review(rooms, server), log),
    ledger: createLedger({ journal, store, projections, ...announcer, mended: () => retries.wake(), log, metrics }),
    catalog: await openCatalog({ path: boot.catalog, initial: initialCatalog(boot), secrets, restarted: boot.restarted }),
    sessions: createOpenSessions({ identities: boot.identities, expected: expectedSurfaces(boot) }),
    lastCalls: createLastCalls(clock),
    freezes: createFreezes(),
    ...invite(() => rooms, { boot, log, clock }),
    overlay: createOverlay(),
    ids: createIds(store.read, clock),
    lock: createLock(),
    ownPaths: await ownPaths(boot),
    shareOf: createShares(store.read),
    retries,
    rounds: walk(() => rooms, log),
    retry: () => retries.wake(),
  }
  return rooms
}
