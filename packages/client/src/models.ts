// Models: providers, the tokens that groups used, and requests.
import { limits, ModelCallList, ModelList, ProviderCheck } from '@gatehouse/contracts'
import type { ModelCallsWanted } from './lists.ts'
import type { CallOptions, Exchange } from './request.ts'

export const modelsOf = ({ send }: Exchange) => ({
  list: (options?: CallOptions) => send({ method: 'GET', path: '/v1/models' }, ModelList, options),
  /** Newest first. */
  calls: (wanted: ModelCallsWanted = {}, options?: CallOptions) =>
    send({ method: 'GET', path: '/v1/audit/model-calls', query: { ...wanted } }, ModelCallList, options),
  check: (provider: string, options?: CallOptions) =>
    send(
      { method: 'POST', path: `/v1/models/${encodeURIComponent(provider)}/check`, timeout: limits.probeTime + 5_000 },
      ProviderCheck,
      options,
    ),
})
