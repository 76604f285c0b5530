// A choice of model is for agents that use one.
import type { AgentGroup, Failure } from '@gatehouse/contracts'

interface Choice {
  readonly model?: unknown
  readonly providerTools?: readonly string[] | undefined
}

export const modelOnMock = (agent: AgentGroup['agent'], { model, providerTools = [] }: Choice): Failure | undefined => {
  if (agent === 'model' || (model === undefined && providerTools.length === 0)) return undefined
  const what = model === undefined ? 'tools of a provider' : 'a model'
  return {
    rule: 'model-on-mock',
    reason: `expected an agent that uses a model, got the mock agent with ${what}: leave ${what} out, or make a group with agent "model"`,
  }
}
