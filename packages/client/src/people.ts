// Named tokens, and the emergency stop.
import { Freeze, type FreezeBody, FreezeList, MintedToken, type NewToken, TokenList } from '@gatehouse/contracts'
import type * as v from 'valibot'
import type { Page } from './lists.ts'
import type { CallOptions, Exchange } from './request.ts'

export const peopleOf = ({ send, sendForText }: Exchange) => ({
  tokens: {
    list: (page: Page = {}, options?: CallOptions) => send({ method: 'GET', path: '/v1/tokens', query: { ...page } }, TokenList, options),
    /** The secret is in the answer and never shown again. */
    create: (body: v.InferInput<typeof NewToken>, options?: CallOptions) =>
      send({ method: 'POST', path: '/v1/tokens', body }, MintedToken, options),
    revoke: async (name: string, options?: CallOptions): Promise<void> => {
      await sendForText({ method: 'DELETE', path: `/v1/tokens/${encodeURIComponent(name)}` }, options)
    },
  },
  freezes: {
    list: (options?: CallOptions) => send({ method: 'GET', path: '/v1/freeze' }, FreezeList, options),
    /** Without a group: the whole unit. */
    freeze: (body: v.InferInput<typeof FreezeBody>, options?: CallOptions) =>
      send({ method: 'POST', path: '/v1/freeze', body }, Freeze, options),
    unfreeze: async (wanted: v.InferInput<typeof FreezeBody>, options?: CallOptions): Promise<void> => {
      await sendForText({ method: 'DELETE', path: '/v1/freeze', query: { ...wanted } }, options)
    },
  },
})
