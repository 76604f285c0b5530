// How many messages of a channel came to one end, as the unit counts them.
import { request } from '../http.ts'

export const countedBy = async (unit: { readonly address: string }, channel: string, outcome: string): Promise<number> => {
  const { text } = await request(`${unit.address}/metrics`)
  const labels = [`channel="${channel}"`, `outcome="${outcome}"`]
  const line = text
    .split('\n')
    .find((one) => one.startsWith('gatehouse_channel_messages_total{') && labels.every((label) => one.includes(label)))
  return Number(line?.split(' ').at(-1) ?? Number.NaN)
}
