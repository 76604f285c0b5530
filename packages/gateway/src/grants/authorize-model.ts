// Authorizes each model request of a group. The model proxy counts tokens.
import type { AgentGroup, ModelHolding, ModelVerdict } from '@gatehouse/contracts'
import type { Store } from '@gatehouse/store'
import type { Freezes } from '../state/freezes.ts'
import type { OpenSessions } from '../state/sessions.ts'
import { readGroup } from '../state/unit-config.ts'

export interface ModelDeps {
  readonly store: Pick<Store, 'read'>
  readonly sessions: Pick<OpenSessions, 'find'>
  readonly freezes: Pick<Freezes, 'of'>
}

export interface ModelRequest {
  readonly session: string
  readonly provider: string
  readonly model: string
}

type Refused = Extract<ModelVerdict, { allowed: false }>

const findGroup = async ({ store, sessions }: ModelDeps, session: string): Promise<AgentGroup | undefined> => {
  const id = sessions.find(session)?.agentGroupID
  const group = id === undefined ? undefined : await readGroup(store.read, id)
  // The session may have ended while its group was read.
  return sessions.find(session) === undefined ? undefined : group
}

const getTerms = ({ providerTools, limits: { modelTokensPerDay: tokensPerDay } }: AgentGroup) => ({
  powers: providerTools,
  ...(tokensPerDay === undefined ? {} : { tokensPerDay }),
})

const wrongModel = ({ model }: AgentGroup): string =>
  model === undefined
    ? 'no model is approved for this group: request a change of its permissions that sets one'
    : `only the model ${model.id} from ${model.provider} is approved for this group: use that model, or request a change of permissions`

export const authorizeModel = async (deps: ModelDeps, { session, provider, model }: ModelRequest): Promise<ModelVerdict> => {
  const group = await findGroup(deps, session)
  const refused = (code: Refused['code'], reason: string): Refused => ({ allowed: false, agentGroupID: group?.id ?? null, code, reason })
  if (group === undefined) return refused('revoked', 'the session has ended')
  if (deps.freezes.of(group.id) !== undefined) return refused('frozen', 'an operator froze all requests: wait until the freeze is lifted')
  const isApproved = group.agent === 'model' && group.model?.provider === provider && group.model.id === model
  return isApproved ? { allowed: true, agentGroupID: group.id, ...getTerms(group) } : refused('model-refused', wrongModel(group))
}

/** The current model, terms and freeze of the session's group. */
export const readModelTerms = async (deps: ModelDeps, session: string): Promise<ModelHolding> => {
  const group = await findGroup(deps, session)
  if (group === undefined) return { agentGroupID: null, frozen: false, powers: [] }
  const choice = group.model === undefined ? {} : { model: group.model }
  return { agentGroupID: group.id, frozen: deps.freezes.of(group.id) !== undefined, ...choice, ...getTerms(group) }
}
