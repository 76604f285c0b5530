// Evaluates a change against the current configuration and evidence: at submission, before approval and before apply.
import type { AgentGroupID, Change, Decision, Digest, Failure, GatewayBoot, Risk } from '@gatehouse/contracts'
import type { JournalInput } from '@gatehouse/journal'
import { canonical } from '@gatehouse/kernel'
import { attach, hasEvidenceChanged } from '../evidence/attach.ts'
import { withMountInspections } from '../evidence/mounts.ts'
import { requestEvidence, type RequestEvidenceDeps } from '../evidence/request.ts'
import { evidenceOf, storeEvidence } from '../evidence/stored.ts'
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
  /** Where the unit keeps what is its own, as given and without links. */
  readonly ownPaths: readonly string[]
  readonly secrets: Secrets
  readonly table: GrantTable
  readonly shareOf: ReadGroupState
}

export interface Evaluation {
  readonly bound: Bound
  readonly context: ChangeContext
  /** What a verifier judges: the context, and the evidence as it is known now. */
  readonly input: VerifyInput
  /** Undefined where the group that the change needs is gone. */
  readonly draft: Draft | undefined
}

export interface Reevaluation extends Evaluation {
  /** What is applied: the context as it is, and the evidence that was shown with the digest. */
  readonly shown: VerifyInput
}

interface Asked {
  readonly agentGroupID: AgentGroupID
  /** Whoever asks for the change. */
  readonly principal: string
}

const serversOf = ({ catalog }: EvaluateDeps): ReadonlyMap<string, Digest> | null =>
  catalog.enabled ? new Map(catalog.items().map(({ name, digest }) => [name, digest])) : null

const see = async (deps: EvaluateDeps, { agentGroupID, principal }: Asked): Promise<ChangeContext> => {
  const [share, grants] = await Promise.all([deps.shareOf(agentGroupID), deps.table.current()])
  const now = deps.clock()
  const { mountAllow, pinning, models, mcpEndpoint } = deps.boot
  const config = { mountAllow, pinning, models, mcpEndpoint: mcpEndpoint === true, ownPaths: deps.ownPaths }
  return { agentGroupID, asker: principal, servers: serversOf(deps), granted: grantedServers(grants, now), now, config, ...share }
}

/** @param principal who asks for the change */
export const loadContext = (deps: EvaluateDeps, agentGroupID: AgentGroupID, principal: string): Promise<ChangeContext> =>
  see(deps, { agentGroupID, principal })

const withMounts = async ({ store }: EvaluateDeps, { kind }: Bound, context: ChangeContext): Promise<ChangeContext> => {
  if (kind !== 'mounts') return context
  return { ...context, elsewhere: await withMountInspections(store.read, await readOtherGroupMounts(store.read, context.agentGroupID)) }
}

const judgeIn = async (deps: EvaluateDeps, bound: Bound, seen: { context: ChangeContext; fresh: boolean }): Promise<Evaluation> => {
  const { fresh } = seen
  const context = await withMounts(deps, bound, seen.context)
  if (bound.target === 'existing' && context.group === undefined) {
    return { bound, context, input: { context, evidence: null }, draft: undefined }
  }
  const { evidence, whole } = await attach(bound.requiredEvidence(context), { rows: deps.store.read, context, fresh })
  if (whole !== undefined) await storeEvidence(deps.store, whole)
  const input = { context, evidence }
  return { bound, context, input, draft: draft(bound, input) }
}

/** What is refused whatever a witness says. */
const isRefusedBlind = (bound: Bound, context: ChangeContext): boolean =>
  (bound.target === 'new' || context.group !== undefined) &&
  (externalFailure(bound, context.group) ?? bound.verify({ context, evidence: null })) !== undefined

const withoutEvidence = (bound: Bound, context: ChangeContext): Evaluation => {
  const input = { context, evidence: null }
  return { bound, context, input, draft: draft(bound, input) }
}

/**
 * For a new change: its witness is asked to look again where what is known is old. The answer's context is that behind the wait.
 * What is refused without evidence waits for none, and is kept without any.
 */
export const evaluate = async (deps: EvaluateDeps, bound: Bound, context: ChangeContext): Promise<Evaluation> => {
  if (isRefusedBlind(bound, context)) return withoutEvidence(bound, context)
  const waited =
    (bound.target === 'new' || context.group !== undefined) && (await requestEvidence(deps, bound.requiredEvidence(context), context))
  const present = waited ? await loadContext(deps, context.agentGroupID, context.asker) : context
  return isRefusedBlind(bound, present) ? withoutEvidence(bound, present) : judgeIn(deps, bound, { context: present, fresh: true })
}

/** For a change that was kept, on what is known now. */
export const reevaluate = async (deps: EvaluateDeps, change: Change): Promise<Reevaluation> => {
  const { agentGroupID, principal } = change
  const bound = rebind(change, deps.secrets)
  const context = await see(deps, { agentGroupID, principal })
  const judged = await judgeIn(deps, bound, { context, fresh: false })
  return { ...judged, shown: { context: judged.context, evidence: evidenceOf(change) } }
}

/** Whether what the approver was shown is no longer what is there. */
export const hasChanged = (change: Change, now: Draft): boolean =>
  canonical(change.before) !== canonical(now.before) || hasEvidenceChanged(evidenceOf(change), now.evidence)

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

const groupIsThere: Rule = ({ bound, input: { context } }) =>
  bound.target === 'existing' && context.group === undefined
    ? refuse({ rule: 'group-missing', reason: `the agent group ${context.agentGroupID} does not exist any more` })
    : undefined

const kindAgrees: Rule = ({ bound, input }) => refuse(bound.verify(input))

const humanDecided = ({ decisions }: Case): Verdict =>
  decisions.some((decision) => decision.outcome === 'approve') ? { outcome: 'approved' } : { outcome: 'needs-human' }

const fitsAgent: Rule = ({ bound, input: { context } }) =>
  bound.target === 'existing' ? refuse(externalFailure(bound, context.group)) : undefined

const rules: readonly Rule[] = [groupIsThere, fitsAgent, kindAgrees]

/** The last rule always speaks, and always for a human. */
export const verify = (subject: Case): Verdict => {
  for (const rule of rules) {
    const verdict = rule(subject)
    if (verdict !== undefined) return verdict
  }
  return humanDecided(subject)
}

/** Brings a held change up to the context as it is, so that a decision is about what is there. */
export interface Rebased {
  readonly line: JournalInput
  /** Of what the change is after the line. */
  readonly digest: Digest
}

/** `rebased` is undefined when nothing has moved. The risk is that of now, which can move alone. */
export const rebase = async (
  deps: EvaluateDeps,
  actor: Actor,
  change: Change,
): Promise<{ readonly rebased: Rebased | undefined; readonly risk: Risk }> => {
  const { draft } = await reevaluate(deps, change)
  if (draft === undefined || !hasChanged(change, draft)) return { rebased: undefined, risk: draft?.risk ?? change.risk }
  return { rebased: { line: changeLine('rebased', { actor, change }, { ...draft }), digest: draft.digest }, risk: draft.risk }
}
