// A key for a provider of models. An agent without one repeats what it is told, which is enough for a first run.
import { isServiceError } from '@gatehouse/contracts'
import { done, left, type Step, type Tour } from './step.ts'

/** Names of those that the unit can ask. */
export const providersOf = async ({ client }: Tour): Promise<string[]> => {
  try {
    return (await client.models.list()).items.map(({ name }) => name)
  } catch (error) {
    if (isServiceError(error) && (error.code === 'unavailable' || error.code === 'not-found')) return []
    throw error
  }
}

export const provider: Step = {
  name: 'provider',
  take: async (tour) => {
    const names = await providersOf(tour)
    if (names.length > 0) return done(`the unit holds a key for ${names.join(', ')}`)
    return left(
      'the unit holds no key for a provider of models; the mock agent needs none',
      'ANTHROPIC_API_KEY_FILE=FILE, or that of another provider, in the environment of the unit, then start it again',
    )
  },
}
