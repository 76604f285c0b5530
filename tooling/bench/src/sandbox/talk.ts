// What a person waits for: from the call that sends a message to the reply that is stored, in a new session and in one that is warm.
import { setTimeout as delay } from 'node:timers/promises'
import { type Unit, waitFor } from '@gatehouse/end-to-end'
import { type Figures, oneByOne } from '../measure.ts'

const group = 'dev-agent'
/** Milliseconds that a reply is waited for, and between two looks, of which each costs a call itself. */
const soon = { patience: 60_000, pause: 2 }

/** Resolves when the reply is stored; the milliseconds until the message itself was. */
export const converse = async (unit: Unit, conversationId: string, { patience, pause } = soon): Promise<number> => {
  const since = performance.now()
  const { messageId } = await unit.client.chat.send({ agentGroupID: group, conversationId, text: 'hello' })
  const received = performance.now() - since
  const deadline = performance.now() + patience
  while (performance.now() < deadline) {
    const { messages } = await unit.client.chat.messages(group, { conversation: conversationId, limit: 4 })
    if (messages.some(({ inReplyTo }) => inReplyTo === messageId)) return received
    await delay(pause)
  }
  throw new Error(`no reply in ${conversationId} within ${patience} ms`)
}

const times = async (rounds: number, act: (round: number) => Promise<unknown>): Promise<number[]> => {
  const found: number[] = []
  for (let round = 0; round < rounds; round += 1) {
    const since = performance.now()
    await act(round)
    found.push(performance.now() - since)
  }
  return found
}

/** Each in a conversation of its own, whose sandbox stays; the first warms the page cache. */
export const cold = async (unit: Unit, rounds: number): Promise<Figures> => {
  const found = await times(rounds + 1, (round) => converse(unit, `cold-${round}`))
  return oneByOne(found.slice(1))
}

export const warm = async (unit: Unit, rounds: number): Promise<Figures> => {
  const warmUp = Math.ceil(rounds / 10)
  const found = await times(rounds + warmUp, () => converse(unit, 'cold-0'))
  return oneByOne(found.slice(warmUp))
}

/** The driver chosen and its trials over: else they would be measured too. */
export const whenQuiet = (unit: Unit): Promise<unknown> =>
  waitFor('the proof of the seal', 120_000, async () => {
    const { sandbox } = await unit.client.status()
    return sandbox.seal === 'held' || sandbox.seal === 'lacking'
  })
