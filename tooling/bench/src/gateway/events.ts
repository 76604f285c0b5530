// One change told to two hundred readers of events: from its submission until each has heard of it.
import { limits } from '@gatehouse/contracts'
import { startUnit, waitFor } from '@gatehouse/end-to-end'
import { type Figures, figuresOf } from '../measure.ts'

const readers = 200
const changes = 50

interface Reader {
  readonly address: string
  readonly token: string
  readonly signal: AbortSignal
}

/** Calls `hear` with each id of a change that the stream tells as submitted. */
const listen = async ({ address, token, signal }: Reader, hear: (changeID: string) => void): Promise<void> => {
  const headers = { authorization: `Bearer ${token}`, accept: 'text/event-stream' }
  const response = await fetch(`${address}/v1/events`, { headers, signal })
  if (response.body === null || response.status !== 200) throw new Error(`events answered ${response.status}`)
  const follow = async (body: AsyncIterable<Uint8Array>): Promise<void> => {
    const decoder = new TextDecoder()
    let text = ''
    for await (const chunk of body) {
      text += decoder.decode(chunk, { stream: true })
      const whole = text.split('\n\n')
      text = whole.pop() ?? ''
      for (const message of whole) {
        const id = /^event: ?submit$/m.test(message) ? /"changeID":"(chg_[\d.]+)"/.exec(message)?.[1] : undefined
        if (id !== undefined) hear(id)
      }
    }
  }
  void follow(response.body).catch(() => undefined)
}

export const measureEvents = async (): Promise<{ figures: Figures; heard: number }> => {
  const token = 'b'.repeat(48)
  const flags = ['--dev', '--sandbox', 'off', '--rate-limit', 'off', '--log-level', 'error']
  const unit = await startUnit({ flags, token, env: { SERVICE_API_TOKEN: token } })
  const ending = new AbortController()
  const begun = new Map<string, number>()
  const heard: { id: string; at: number }[] = []
  const hear = (id: string): void => void heard.push({ id, at: performance.now() })
  try {
    for (let reader = 0; reader < readers; reader += limits.eventStreamsPerPrincipal) {
      const { token: own } = await unit.client.tokens.create({ name: `reader-${reader}`, role: 'auditor' })
      const many = Math.min(limits.eventStreamsPerPrincipal, readers - reader)
      for (let at = 0; at < many; at += 1) await listen({ address: unit.address, token: own, signal: ending.signal }, hear)
    }
    const start = performance.now()
    for (let turn = 0; turn < changes; turn += 1) {
      const at = performance.now()
      const { id } = await unit.client.changes.submit({
        kind: 'persona',
        agentGroupID: 'dev-agent',
        after: { instructions: `turn ${turn}` },
      })
      begun.set(id, at)
    }
    await waitFor('every reader to hear of every change', 30_000, () => Promise.resolve(heard.length >= readers * changes))
    const seconds = (performance.now() - start) / 1_000
    const times = heard.map(({ id, at }) => at - (begun.get(id) ?? at))
    return { figures: figuresOf(Float64Array.from(times), seconds), heard: heard.length }
  } finally {
    ending.abort()
    await unit.dispose()
  }
}
