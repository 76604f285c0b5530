// A choice of model is for agents that use one, and of a provider that the unit can ask.
import { type AgentGroup, type Failure, type ModelChoice, providerPowers } from '@gatehouse/contracts'
import type { ChangeContext } from '../state/unit-config.ts'
import { quote } from '../text.ts'

interface Wish {
  readonly model?: ModelChoice | undefined
  readonly providerTools?: readonly string[] | undefined
}

const modelOnMock = (agent: AgentGroup['agent'], { model, providerTools = [] }: Wish): Failure | undefined => {
  if (agent === 'model' || (model === undefined && providerTools.length === 0)) return undefined
  const what = model === undefined ? 'tools of a provider' : 'a model'
  return {
    rule: 'model-on-mock',
    reason: `expected an agent that uses a model, got the ${agent} agent with ${what}: leave ${what} out, or make a group with agent "model"`,
  }
}

/** Its sessions could do nothing: the unit has no model that it would use instead. */
export const modelMissing = (
  agent: AgentGroup['agent'],
  { model }: Wish,
  { config: { models } }: Pick<ChangeContext, 'config'>,
): Failure | undefined => {
  if (agent !== 'model' || model !== undefined) return undefined
  const known = models.length === 0 ? 'this unit has a key for no provider yet' : `this unit has keys for ${models.join(', ')}`
  return {
    rule: 'model-missing',
    reason: `expected a model for an agent that uses one, got none: name its provider and id (${known}), as in --model PROVIDER/ID, or make a group with agent "mock"`,
  }
}

const providerUnknown = (model: ModelChoice | undefined, { models }: ChangeContext['config']): Failure | undefined => {
  if (model === undefined || models.includes(model.provider)) return undefined
  const known = models.length === 0 ? 'and this unit has a key for none' : `one of ${models.join(', ')}`
  return {
    rule: 'provider-unknown',
    reason: `expected a provider that this unit has a key for, ${known}, got ${quote(model.provider)}: choose another, or give its key to the unit and start it again`,
  }
}

const toolUnknown = (providerTools: readonly string[] = []): Failure | undefined => {
  const unknown = providerTools.find((tool) => !Object.hasOwn(providerPowers, tool))
  return unknown === undefined
    ? undefined
    : {
        rule: 'provider-tool-unknown',
        reason: `expected tools of providers among ${Object.keys(providerPowers).join(', ')}, got ${quote(unknown)}`,
      }
}

export const unusableChoice = (agent: AgentGroup['agent'], wish: Wish, { config }: Pick<ChangeContext, 'config'>): Failure | undefined =>
  modelOnMock(agent, wish) ?? providerUnknown(wish.model, config) ?? toolUnknown(wish.providerTools)
