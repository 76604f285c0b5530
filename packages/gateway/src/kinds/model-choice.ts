// Verifies the model of a group: its agent must use one, and the unit must have a key for its provider.
import { type AgentGroup, type Failure, type ModelChoice, providerPowers } from '@gatehouse/contracts'
import type { ChangeContext } from '../state/unit-config.ts'
import { quote } from '../text.ts'

interface ModelRequest {
  readonly model?: ModelChoice | undefined
  readonly providerTools?: readonly string[] | undefined
}

const modelOnMock = (agent: AgentGroup['agent'], { model, providerTools = [] }: ModelRequest): Failure | undefined => {
  if (agent === 'model' || (model === undefined && providerTools.length === 0)) return undefined
  const setting = model === undefined ? 'provider tools' : 'a model'
  return {
    rule: 'model-on-mock',
    reason: `the ${agent} agent cannot have ${setting}: leave it out, or create a group with agent "model"`,
  }
}

/** A model agent needs a model: the unit has no default one. */
export const modelMissing = (
  agent: AgentGroup['agent'],
  { model }: ModelRequest,
  { config: { models } }: Pick<ChangeContext, 'config'>,
): Failure | undefined => {
  if (agent !== 'model' || model !== undefined) return undefined
  const known = models.length === 0 ? 'this unit has no provider key yet' : `this unit has keys for ${models.join(', ')}`
  return {
    rule: 'model-missing',
    reason: `a "model" agent needs a model: set its provider and id (${known}), as in --model PROVIDER/ID, or create a group with agent "mock"`,
  }
}

const providerUnknown = (model: ModelChoice | undefined, { models }: ChangeContext['config']): Failure | undefined => {
  if (model === undefined || models.includes(model.provider)) return undefined
  const known = models.length === 0 ? 'it has no provider key' : `it has keys for ${models.join(', ')}`
  return {
    rule: 'provider-unknown',
    reason: `this unit has no key for the provider ${quote(model.provider)} (${known}): choose another provider, or add the key and restart the unit`,
  }
}

const toolUnknown = (providerTools: readonly string[] = []): Failure | undefined => {
  const unknown = providerTools.find((tool) => !Object.hasOwn(providerPowers, tool))
  return unknown === undefined
    ? undefined
    : {
        rule: 'provider-tool-unknown',
        reason: `the provider tool ${quote(unknown)} is unknown: choose from ${Object.keys(providerPowers).join(', ')}`,
      }
}

export const unusableChoice = (
  agent: AgentGroup['agent'],
  request: ModelRequest,
  { config }: Pick<ChangeContext, 'config'>,
): Failure | undefined => modelOnMock(agent, request) ?? providerUnknown(request.model, config) ?? toolUnknown(request.providerTools)
