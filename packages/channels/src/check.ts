// Asks the service of a channel whether it takes the credentials, and says what came of it in our own words.
import { type ChannelCheck, type ChannelName, limits, ServiceError } from '@gatehouse/contracts'
import { type Channel, ChannelFault } from './channel.ts'

export const checkChannel = async (channels: ReadonlyMap<ChannelName, Channel>, name: ChannelName): Promise<ChannelCheck> => {
  const channel = channels.get(name)
  if (channel === undefined)
    throw new ServiceError('not-found', { detail: `this unit has no credentials for ${name}`, hint: 'start it with them' })
  const began = performance.now()
  const elapsedMs = (): number => Math.round(performance.now() - began)
  try {
    const { account, detail = 'the service takes the credentials' } = await channel.verify(AbortSignal.timeout(limits.probeTime))
    return {
      name,
      accepted: true,
      ...(account !== undefined && { account }),
      detail,
      elapsedMs: elapsedMs(),
    }
  } catch (error) {
    const detail = error instanceof ChannelFault ? error.message : 'the service was not reached'
    return { name, accepted: false, detail, elapsedMs: elapsedMs() }
  }
}
