// Providers of models that cannot be reached, or that refuse the key of the unit: asked in a way that takes no tokens.
import { isServiceError, type ModelProvider, type ProviderCheck } from '@gatehouse/contracts'
import { type Check, fail, notAnswered, notChecked, pass, type Verdict, warn } from './check.ts'

type Asked = (provider: ModelProvider) => Promise<ProviderCheck>

const verdictOf = async (name: ModelProvider, ask: Asked): Promise<Verdict> => {
  try {
    const { reachable, keyAccepted, detail } = await ask(name)
    if (!reachable) return warn(`${name}: ${detail}`, { advice: `mend the way there, then try: svcctl model check ${name}` })
    if (keyAccepted === false) return fail(`${name}: ${detail}`, { advice: `give the unit a key that ${name} takes, and start it again` })
    return pass(`${name}: ${detail}`)
  } catch (error) {
    if (isServiceError(error) && error.code === 'forbidden')
      return notChecked('only an approver may ask providers', { advice: 'use the token of an approver: --token-file PATH' })
    throw error
  }
}

export const models: Check = {
  name: 'models',
  run: async ({ unit }) => {
    const found = unit
    if (!found.reached) return [notAnswered]
    const { client } = found
    const { items } = await client.models.list()
    if (items.length === 0) return [pass('this unit has no provider of models')]
    return Promise.all(items.map(({ name }) => verdictOf(name, (provider) => client.models.check(provider))))
  },
}
