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

export interface Wanted {
  readonly session: string
  readonly provider: string
  readonly model: string
}

type Refused = Extract<ModelVerdict, { allowed: false }>

const groupOf = async ({ store, sessions }: ModelDeps, session: string): Promise<AgentGroup | undefined> => {
  const id = sessions.find(session)?.agentGroupID
  const group = id === undefined ? undefined : await readGroup(store.read, id)
  // The session may have ended while its group was read.
  return sessions.find(session) === undefined ? undefined : group
}

const termsOf = ({ providerTools, limits: { modelTokensPerDay: tokensPerDay } }: AgentGroup) => ({
  powers: providerTools,
  ...(tokensPerDay === undefined ? {} : { tokensPerDay }),
})

const wrongModel = ({ model }: AgentGroup): string =>
  model === undefined
    ? 'no model is approved for this group: a person has to approve a change of its permissions that names one'
    : `expected the approved model ${model.id} of ${model.provider}, got another: ask for that one, or a person has to approve a change of permissions`

export const authorizeModel = async (deps: ModelDeps, { session, provider, model }: Wanted): Promise<ModelVerdict> => {
  const group = await groupOf(deps, session)
  const refused = (code: Refused['code'], reason: string): Refused => ({ allowed: false, agentGroupID: group?.id ?? null, code, reason })
  if (group === undefined) return refused('revoked', 'the session has ended')
  if (deps.freezes.of(group.id) !== undefined) return refused('frozen', 'an operator stopped all requests: wait until the freeze is lifted')
  const isApproved = group.agent === 'model' && group.model?.provider === provider && group.model.id === model
  return isApproved ? { allowed: true, agentGroupID: group.id, ...termsOf(group) } : refused('model-refused', wrongModel(group))
}

/** What holds for the session's group now. */
export const modelHolding = async (deps: ModelDeps, session: string): Promise<ModelHolding> => {
  const group = await groupOf(deps, session)
  if (group === undefined) return { agentGroupID: null, frozen: false, powers: [] }
  const choice = group.model === undefined ? {} : { model: group.model }
  return { agentGroupID: group.id, frozen: deps.freezes.of(group.id) !== undefined, ...choice, ...termsOf(group) }
}
