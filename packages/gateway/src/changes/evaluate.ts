// Evaluates a change against the current configuration and evidence: at submission, before approval and before apply.
import type { AgentGroupID, Change, Decision, Digest, Failure, GatewayBoot, Risk } from '@gatehouse/contracts'
import type { JournalInput } from '@gatehouse/journal'
import { canonical } from '@gatehouse/kernel'
import { attach, hasEvidenceChanged } from '../evidence/attach.ts'
import { withMountInspections } from '../evidence/mounts.ts'
import { requestEvidence, type RequestEvidenceDeps } from '../evidence/request.ts'
import { parseEvidence, storeEvidence } from '../evidence/stored.ts'
import { externalFailure } from '../kinds/external.ts'
import { rebind } from '../kinds/index.ts'
import type { Bound, VerifyInput } from '../kinds/kind.ts'
import type { Secrets } from '../secrets.ts'
import type { Catalog } from '../state/catalog.ts'
import { type Actor, changeLine } from '../state/change-records.ts'
import { grantedServers, type GrantTable } from '../state/grants.ts'
import { type ChangeContext, type ReadGroupState, readOtherGroupMounts } from '../state/unit-config.ts'
import { draft, type Draft } from './draft.ts'

export interface EvaluateDeps extends RequestEvidenceDeps {
  readonly catalog: Catalog
  readonly clock: () => number
  readonly boot: Pick<GatewayBoot, 'mountAllow' | 'pinning' | 'models' | 'mcpEndpoint'>
  /** Paths of the unit's own files, as configured and with links resolved. */
  readonly ownPaths: readonly string[]
  readonly secrets: Secrets
  readonly table: GrantTable
  readonly readGroupState: ReadGroupState
}

export interface Evaluation {
  readonly bound: Bound
  readonly context: ChangeContext
  /** The verifier's input: the context and the current evidence. */
  readonly input: VerifyInput
  /** Undefined if the group that the change requires does not exist. */
  readonly draft: Draft | undefined
}

export interface Reevaluation extends Evaluation {
  /** The input for applying: the current context and the evidence that the approver was shown. */
  readonly shown: VerifyInput
}

interface ContextRequest {
  readonly agentGroupID: AgentGroupID
  /** The requester of the change. */
  readonly principal: string
}

const listServers = ({ catalog }: EvaluateDeps): ReadonlyMap<string, Digest> | null =>
  catalog.enabled ? new Map(catalog.items().map(({ name, digest }) => [name, digest])) : null

const readContext = async (deps: EvaluateDeps, { agentGroupID, principal }: ContextRequest): Promise<ChangeContext> => {
  const [groupState, grants] = await Promise.all([deps.readGroupState(agentGroupID), deps.table.current()])
  const now = deps.clock()
  const { mountAllow, pinning, models, mcpEndpoint } = deps.boot
  const config = { mountAllow, pinning, models, mcpEndpoint: mcpEndpoint === true, ownPaths: deps.ownPaths }
  return {
    agentGroupID,
    requester: principal,
    servers: listServers(deps),
    granted: grantedServers(grants, now),
    now,
    config,
    ...groupState,
  }
}

/** @param principal the requester of the change */
export const loadContext = (deps: EvaluateDeps, agentGroupID: AgentGroupID, principal: string): Promise<ChangeContext> =>
  readContext(deps, { agentGroupID, principal })

const withMounts = async ({ store }: EvaluateDeps, { kind }: Bound, context: ChangeContext): Promise<ChangeContext> => {
  if (kind !== 'mounts') return context
  return {
    ...context,
    otherGroupMounts: await withMountInspections(store.read, await readOtherGroupMounts(store.read, context.agentGroupID)),
  }
}

const evaluateIn = async (deps: EvaluateDeps, bound: Bound, known: { context: ChangeContext; fresh: boolean }): Promise<Evaluation> => {
  const { fresh } = known
  const context = await withMounts(deps, bound, known.context)
  if (bound.target === 'existing' && context.group === undefined) {
    return { bound, context, input: { context, evidence: null }, draft: undefined }
  }
  const { evidence, whole } = await attach(bound.requiredEvidence(context), { rows: deps.store.read, context, fresh })
  if (whole !== undefined) await storeEvidence(deps.store, whole)
  const input = { context, evidence }
  return { bound, context, input, draft: draft(bound, input) }
}

/** Whether it is refused regardless of the evidence. */
const isRefusedWithoutEvidence = (bound: Bound, context: ChangeContext): boolean =>
  (bound.target === 'new' || context.group !== undefined) &&
  (externalFailure(bound, context.group) ?? bound.verify({ context, evidence: null })) !== undefined

const withoutEvidence = (bound: Bound, context: ChangeContext): Evaluation => {
  const input = { context, evidence: null }
  return { bound, context, input, draft: draft(bound, input) }
}

/**
 * Evaluates a new change. Requests new evidence if the known evidence is too old, and then uses the context after the wait.
 * A change that is refused regardless of evidence does not wait for any.
 */
export const evaluate = async (deps: EvaluateDeps, bound: Bound, context: ChangeContext): Promise<Evaluation> => {
  if (isRefusedWithoutEvidence(bound, context)) return withoutEvidence(bound, context)
  const hasWaited =
    (bound.target === 'new' || context.group !== undefined) && (await requestEvidence(deps, bound.requiredEvidence(context), context))
  const present = hasWaited ? await loadContext(deps, context.agentGroupID, context.requester) : context
  return isRefusedWithoutEvidence(bound, present)
    ? withoutEvidence(bound, present)
    : evaluateIn(deps, bound, { context: present, fresh: true })
}

/** Evaluates a stored change on the current context and evidence. */
export const reevaluate = async (deps: EvaluateDeps, change: Change): Promise<Reevaluation> => {
  const { agentGroupID, principal } = change
  const bound = rebind(change, deps.secrets)
  const context = await readContext(deps, { agentGroupID, principal })
  const evaluation = await evaluateIn(deps, bound, { context, fresh: false })
  return { ...evaluation, shown: { context: evaluation.context, evidence: parseEvidence(change) } }
}

/** Whether the configuration or the evidence differs from what the approver was shown. */
export const hasChanged = (change: Change, now: Draft): boolean =>
  canonical(change.before) !== canonical(now.before) || hasEvidenceChanged(parseEvidence(change), now.evidence)

/** The verifier chain. It can refuse a change or ask for a human; only a recorded approval makes it say `approved`. */
export type Verdict =
  | { readonly outcome: 'refused'; readonly failure: Failure }
  | { readonly outcome: 'needs-human' }
  | { readonly outcome: 'approved' }

interface Case {
  readonly bound: Bound
  readonly input: VerifyInput
  readonly decisions: readonly Decision[]
}

type Rule = (subject: Case) => Verdict | undefined

const refuse = (failure: Failure | undefined): Verdict | undefined => (failure === undefined ? undefined : { outcome: 'refused', failure })

const groupExists: Rule = ({ bound, input: { context } }) =>
  bound.target === 'existing' && context.group === undefined
    ? refuse({ rule: 'group-missing', reason: `the agent group ${context.agentGroupID} no longer exists` })
    : undefined

const passesKind: Rule = ({ bound, input }) => refuse(bound.verify(input))

const requireHuman = ({ decisions }: Case): Verdict =>
  decisions.some((decision) => decision.outcome === 'approve') ? { outcome: 'approved' } : { outcome: 'needs-human' }

const fitsAgent: Rule = ({ bound, input: { context } }) =>
  bound.target === 'existing' ? refuse(externalFailure(bound, context.group)) : undefined

const rules: readonly Rule[] = [groupExists, fitsAgent, passesKind]

/** Runs the rules in order. The last rule always requires a human decision. */
export const verify = (subject: Case): Verdict => {
  for (const rule of rules) {
    const verdict = rule(subject)
    if (verdict !== undefined) return verdict
  }
  return requireHuman(subject)
}

export interface Rebased {
  readonly line: JournalInput
  /** The digest of the change after the record. */
  readonly digest: Digest
}

/**
 * Updates a held change to the current configuration and evidence. `rebased` is undefined if nothing changed. The risk is the
 * current one, which can change without a rebase.
 */
export const rebase = async (
  deps: EvaluateDeps,
  actor: Actor,
  change: Change,
): Promise<{ readonly rebased: Rebased | undefined; readonly risk: Risk }> => {
  const { draft } = await reevaluate(deps, change)
  if (draft === undefined || !hasChanged(change, draft)) return { rebased: undefined, risk: draft?.risk ?? change.risk }
  return { rebased: { line: changeLine('rebased', { actor, change }, { ...draft }), digest: draft.digest }, risk: draft.risk }
}
