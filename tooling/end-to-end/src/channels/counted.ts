// How many messages, cards and decisions of a channel came to one end, as the unit counts them.
import { request } from '../http.ts'

interface End {
  readonly channel: string
  readonly outcome: string
}

/** @param metric its name without the unit's own in front */
export const countOf = async (unit: { readonly address: string }, metric: string, { channel, outcome }: End): Promise<number> => {
  const { text } = await request(`${unit.address}/metrics`)
  const labels = [`channel="${channel}"`, `outcome="${outcome}"`]
  const line = text.split('\n').find((one) => one.startsWith(`gatehouse_${metric}{`) && labels.every((label) => one.includes(label)))
  return Number(line?.split(' ').at(-1) ?? Number.NaN)
}

export const countedBy = (unit: { readonly address: string }, channel: string, outcome: string): Promise<number> =>
  countOf(unit, 'channel_messages_total', { channel, outcome })
