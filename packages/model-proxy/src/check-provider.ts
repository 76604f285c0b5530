// Checks whether a provider accepts the configured key.
import { limits, type ProviderCheck } from '@gatehouse/contracts'
import type { Agents } from './providers/provider.ts'
import type { Keyed } from './providers/table.ts'
import { transfer } from './stream/transfer.ts'

const detailOf = (status: number): string => {
  if (status < 300) return 'the provider answers and takes the key'
  if (status === 401 || status === 403) return 'the provider refuses the key: replace it and start the unit again'
  return `the provider answers ${status}, which does not show whether the key is valid`
}

export const checkProvider = async ({ provider, key }: Keyed, agents: Agents): Promise<ProviderCheck> => {
  const started = performance.now()
  const elapsed = (): number => Math.round(performance.now() - started)
  const signal = AbortSignal.timeout(limits.probeTime)
  const credentials = key === null ? {} : provider.credentials(key, provider.paths[0]?.format.name ?? 'chat')
  const answered = Promise.withResolvers<number>()
  const done = new Error('answered')
  const begin = ({ status }: { readonly status: number }): never => {
    answered.resolve(status)
    // The list itself is ignored.
    throw done
  }
  const asked = {
    agent: agents.of(provider),
    origin: provider.origin,
    target: provider.models,
    method: 'GET',
    headers: credentials,
  } as const
  transfer({ ...asked, body: null, signal, begin }).catch((error: unknown) => answered.reject(error))
  try {
    const status = await answered.promise
    const isJudged = status < 300 || status === 401 || status === 403
    return {
      provider: provider.name,
      reachable: true,
      ...(isJudged && { keyAccepted: status < 300 }),
      status,
      elapsedMs: elapsed(),
      detail: detailOf(status),
    }
  } catch {
    return {
      provider: provider.name,
      reachable: false,
      elapsedMs: elapsed(),
      detail: 'the provider cannot be reached: check the network, the proxy settings and the address',
    }
  }
}
