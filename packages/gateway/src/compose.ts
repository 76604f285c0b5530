// The gateway's dependencies, constructed once.
import { realpath } from 'node:fs/promises'
import { dirname } from 'node:path'
import { type GatewayBoot, limits } from '@gatehouse/contracts'
import type { HeldJournal } from '@gatehouse/journal'
import { type Clock, createClock, type Logger, type Metrics, retentionMs, wallMs } from '@gatehouse/kernel'
import type { Store } from '@gatehouse/store'
import { createFailures, createPrincipals, type Failures, type Principals } from './auth/authenticate.ts'
import { openCatalog } from './catalog/file.ts'
import { createImages, type Images } from './catalog/images.ts'
import { catalogProjections } from './catalog/records.ts'
import { enforcePending } from './catalog/register.ts'
import { applyApproved } from './changes/apply.ts'
import { deleteExpiredKeys } from './changes/idempotency.ts'
import { changeProjections } from './changes/projections.ts'
import { createRetry, createScheduler, type Retry, type Scheduler } from './changes/scheduler.ts'
import { expireAll } from './changes/withdraw.ts'
import { driftProjections } from './drift/records.ts'
import { createThrottle, review, type Throttle } from './drift/review.ts'
import { createEventPublisher } from './events/publisher.ts'
import { createTofuPins, recordFirstSeen, type TofuPins } from './grants/tofu.ts'
import { createDegradedReporter } from './health.ts'
import { createLedger, type Ledger } from './ledger/ledger.ts'
import { createSecrets, type Secrets } from './secrets.ts'
import { seedProjections } from './seed.ts'
import { expectedSurfaces } from './sessions/lifecycle.ts'
import { closeRemoved } from './sessions/terminate.ts'
import { type CallCounts, type CallRates, createCallCounts, createCallRates } from './state/call-counts.ts'
import { respellProjections } from './state/canonical-wirings.ts'
import type { Catalog } from './state/catalog.ts'
import { type ChangeIds, createChangeIds } from './state/change-ids.ts'
import { createOverlay, type Overlay } from './state/changes.ts'
import { createDriftWatch, type DriftWatch } from './state/drift-watch.ts'
import { createEvidenceWaiters, createPendingRequests, type EvidenceWaiters, type PendingRequests } from './state/evidence-waiters.ts'
import { createFreezes, freezeProjections, type Freezes } from './state/freezes.ts'
import { createGrantTable, type GrantTable } from './state/grants.ts'
import { createLock, type Lock } from './state/lock.ts'
import { createLastCalls, createOpenSessions, type LastCalls, type OpenSessions, sessionProjections } from './state/sessions.ts'
import { createSubscribers, type SubscriberRegistry } from './state/subscribers.ts'
import { createTokens, createTokenUses, tokenProjections, type Tokens, type TokenUses } from './state/tokens.ts'
import { createToolDefinitions, type ToolDefinitions } from './state/tool-definitions.ts'
import { createGroupStateReader, type ReadGroupState } from './state/unit-config.ts'

/** Paths of the unit's own files. Mounts may not overlap them. */
type OwnPaths = Pick<GatewayBoot, 'stateDir' | 'runDir' | 'catalog' | 'halves'>

/** In a split unit, the state of the runner is next to the state of the gateway. */
const splitPaths = (stateDir: string, halves: OwnPaths['halves']): string[] =>
  halves === undefined ? [] : [dirname(stateDir), halves.runner]

/** The paths as configured and with links resolved. */
const listOwnPaths = async ({ stateDir, runDir, catalog, halves }: OwnPaths): Promise<string[]> => {
  const configured = [stateDir, runDir, ...(catalog === null ? [] : [catalog]), ...splitPaths(stateDir, halves)]
  const real = await Promise.all(configured.map((path) => realpath(path).catch(() => path)))
  return [...new Set([...configured, ...real])]
}

export interface GatewayDeps {
  readonly boot: Omit<GatewayBoot, 'installation' | 'logLevel'>
  readonly store: Store
  readonly journal: HeldJournal
  readonly log: Logger
  readonly metrics: Metrics
  /** Milliseconds since the epoch. */
  readonly clock?: () => number
  /** Monotonic milliseconds. */
  readonly elapsed?: () => number
  /** The clock that expires idempotency keys; default the one of the process. */
  readonly retention?: () => number
  /** Milliseconds that a submission waits for evidence. */
  readonly evidenceWait?: number
  /** Milliseconds that a submission waits for the package tree. */
  readonly treeWait?: number
  /** Minimum milliseconds between two drift records of one grant. */
  readonly driftPause?: number
}

export interface Services extends Required<Omit<GatewayDeps, 'elapsed'>> {
  /** Never steps back. */
  readonly clock: Clock
  readonly subscribers: SubscriberRegistry
  readonly table: GrantTable
  readonly counts: CallCounts
  readonly rates: CallRates
  readonly declared: ToolDefinitions
  readonly tofuPins: TofuPins
  readonly throttle: Throttle
  readonly drift: DriftWatch
  readonly ledger: Ledger
  readonly arrivals: EvidenceWaiters
  readonly asking: PendingRequests
  readonly images: Images
  readonly secrets: Secrets
  readonly catalog: Catalog
  readonly sessions: OpenSessions
  readonly lastCalls: LastCalls
  readonly freezes: Freezes
  readonly principals: Principals
  readonly tokens: Tokens
  readonly uses: TokenUses
  readonly failures: Failures
  readonly overlay: Overlay
  readonly ids: ChangeIds
  readonly lock: Lock
  readonly retries: Retry
  readonly rounds: Scheduler
  readonly ownPaths: readonly string[]
  readonly readGroupState: ReadGroupState
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

const createAuth = (services: () => Services, { boot, log, clock }: Pick<Services, 'boot' | 'log' | 'clock'>) => {
  const people = {
    tokens: createTokens(),
    uses: createTokenUses(),
    failures: createFailures({ commit: (lines) => services().ledger.commit(lines), log }),
  }
  return { ...people, principals: createPrincipals({ adminToken: boot.adminToken, ...people, clock }) }
}

const createJobs = (services: () => Services, log: Logger): Scheduler => {
  const reportDegraded = createDegradedReporter(log)
  return createScheduler({ every: limits.expirySweep, log }, [
    { what: 'expiring changes', run: () => expireAll(services()) },
    { what: 'deleting expired idempotency keys', run: () => deleteExpiredKeys(services()) },
    { what: 'persisting token uses', run: () => services().uses.save(services().store) },
    { what: 'checking for degraded parts', run: async () => reportDegraded(services()) },
  ])
}

type Base = Pick<
  Services,
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
  | 'subscribers'
  | 'secrets'
  | 'table'
>

/** Services that depend on no other service. */
const createBase = ({
  clock: systemClock = wallMs,
  elapsed,
  retention = retentionMs,
  evidenceWait = limits.evidenceWait,
  treeWait = limits.treeTime,
  driftPause = limits.driftPause,
  ...deps
}: GatewayDeps): Base => {
  const clock = createClock(systemClock, elapsed)
  return {
    ...deps,
    clock,
    retention,
    evidenceWait,
    treeWait,
    driftPause,
    subscribers: createSubscribers(),
    secrets: createSecrets(deps.boot.keys.secrets, deps.boot.keys.formerSecrets),
    table: createGrantTable(deps.store.read, clock),
  }
}

/** Tool definitions of servers, and the pins of new tools. */
const createGrantState = ({ boot, table, log, driftPause }: Base) => {
  const tofuPins = createTofuPins(boot.pinning)
  return { tofuPins, declared: createToolDefinitions(recordFirstSeen({ tofuPins, table, log })), throttle: createThrottle(driftPause) }
}

const createEvidence = (base: Base) => {
  const waiters = { arrivals: createEvidenceWaiters(), asking: createPendingRequests() }
  return { ...waiters, images: createImages({ ...base, ...waiters }) }
}

const createPublisher = (services: () => Services, base: Base) =>
  createEventPublisher({
    ...base,
    groupRemoved: (agentGroupID) => closeRemoved(services(), agentGroupID),
    serverTouched: (server) => void services().drift.look(server),
  })

/** Throws a `Refusal` for a catalog file that cannot be used. */
export const createServices = async (deps: GatewayDeps): Promise<Services> => {
  const base = createBase(deps)
  const { boot, store, journal, log, metrics, clock, secrets } = base
  metrics.touch('group_limit_reached_total', { limit: 'callsPerMinute' })
  const publisher = createPublisher(() => services, base)
  const retries: Retry = createRetry(async () => {
    const left = await applyApproved(services)
    await enforcePending(services)
    return left
  }, log)
  const services: Services = {
    ...base,
    ...createEvidence(base),
    counts: createCallCounts(store, log),
    rates: createCallRates(deps.elapsed),
    ...createGrantState(base),
    drift: createDriftWatch((server) => review(services, server), log),
    ledger: createLedger({ journal, store, projections, ...publisher, recovered: () => retries.wake(), log, metrics }),
    catalog: await openCatalog({ path: boot.catalog, initial: initialCatalog(boot), secrets, restarted: boot.restarted }),
    sessions: createOpenSessions({ identities: boot.identities, expected: expectedSurfaces(boot) }),
    lastCalls: createLastCalls(clock),
    freezes: createFreezes(),
    ...createAuth(() => services, { boot, log, clock }),
    overlay: createOverlay(),
    ids: createChangeIds(store.read, clock),
    lock: createLock(),
    ownPaths: await listOwnPaths(boot),
    readGroupState: createGroupStateReader(store.read),
    retries,
    rounds: createJobs(() => services, log),
    retry: () => retries.wake(),
  }
  return services
}
