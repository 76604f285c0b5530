// Channels of the unit.
import { ChannelCheck, ChannelList, type ChannelName, limits } from '@gatehouse/contracts'
import type { CallOptions, Exchange } from './request.ts'

export const channelsOf = ({ send }: Exchange) => ({
  list: (options?: CallOptions) => send({ method: 'GET', path: '/v1/channels' }, ChannelList, options),
  check: (channel: ChannelName, options?: CallOptions) =>
    send(
      { method: 'POST', path: `/v1/channels/${encodeURIComponent(channel)}/check`, timeout: limits.probeTime + 5_000 },
      ChannelCheck,
      options,
    ),
})
