// What a neighbour that takes all it can costs the others: a sandbox that burns its processor, its disk and its output, and a client
// that asks without a pause. Calls and probes of the others with it and without it, by turns. `pnpm bench noisy [--quick]`.
import { setTimeout as pause } from 'node:timers/promises'
import { startUnit, type Unit } from '@gatehouse/end-to-end'
import { type Figures, figuresOf, printTable } from './measure.ts'
import { converse, whenQuiet } from './sandbox/talk.ts'
import { type BenchUnit, grant, openSockets, throughBroker } from './broker/unit.ts'

const turns = 6
const callers = 4
/** Milliseconds between two calls of a neighbour: a session may make ten calls a second, and there are eight. */
const between = 60

type Noise = () => Promise<() => Promise<void>>

const endless = `import { writeFileSync } from 'node:fs'
for (let n = 0; ; n += 1) { writeFileSync('/workspace/noise', Buffer.alloc(4 << 20, n)); console.log('x'.repeat(65536)) }`

/** Its turn is cancelled at the end of the noise, and its sandbox goes with it. */
const sandboxNoise =
  (unit: Unit): Noise =>
  async () => {
    const text = `tool:run_script ${JSON.stringify({ code: endless, timeoutMs: 60_000 })}`
    const { sessionId } = await unit.client.chat.send({ agentGroupID: 'dev-agent', conversationId: 'noisy', text })
    await pause(1_000)
    return async () => {
      await unit.client.sessions.cancel(sessionId).catch(() => undefined)
      await pause(500)
    }
  }

const clientNoise =
  (unit: Unit): Noise =>
  async () => {
    const end = new AbortController()
    const ask = async (): Promise<void> => {
      while (!end.signal.aborted)
        await fetch(`${unit.address}/v1/changes?limit=200`, { signal: end.signal })
          .then((answer) => answer.text())
          .catch(() => undefined)
    }
    const asking = Promise.all(Array.from({ length: 8 }, ask))
    return async () => {
      end.abort()
      await asking
    }
  }

const sample = async (act: () => Promise<unknown>, count: number): Promise<Float64Array> => {
  const times = new Float64Array(count)
  let next = 0
  const caller = async (): Promise<void> => {
    for (let at = next++; at < count; at = next++) {
      await pause(between)
      const start = performance.now()
      await act()
      times[at] = performance.now() - start
    }
  }
  await Promise.all(Array.from({ length: callers }, caller))
  return times
}

const together = (parts: readonly Float64Array[]): Figures => figuresOf(Float64Array.from(parts.flatMap((part) => [...part])))

const measure = async (noise: Noise, act: () => Promise<unknown>, count: number): Promise<{ without: Figures; beside: Figures }> => {
  const parts: { without: Float64Array[]; beside: Float64Array[] } = { without: [], beside: [] }
  for (let turn = 0; turn < turns; turn += 1) {
    parts.without.push(await sample(act, Math.ceil(count / turns)))
    const hush = await noise()
    parts.beside.push(await sample(act, Math.ceil(count / turns)))
    await hush()
  }
  return { without: together(parts.without), beside: together(parts.beside) }
}

const allowScripts = async (unit: Unit): Promise<void> => {
  const tools = (await unit.client.groups.list()).items.find(({ id }) => id === 'dev-agent')?.tools ?? []
  const { id } = await unit.client.changes.submit({
    kind: 'tools',
    agentGroupID: 'dev-agent',
    after: { enabled: [...tools, 'run_script'] },
  })
  await unit.client.changes.decide(id, { outcome: 'approve', decidedBy: 'bench' })
}

export const run = async (args: readonly string[] = []): Promise<object> => {
  const count = args.includes('--quick') ? 240 : 1_500
  const unit = await startUnit({ flags: ['--dev', '--sandbox', 'bubblewrap', '--log-level', 'error'] })
  try {
    await whenQuiet(unit)
    const bench: BenchUnit = await openSockets(unit)
    await grant(unit, 'sample')
    await allowScripts(unit)
    await converse(unit, 'noisy')
    const { act } = throughBroker(bench, 'sample')
    await sample(act, count / 5)
    const noises: readonly (readonly [string, Noise])[] = [
      ['nothing', async () => async () => undefined],
      ['a noisy sandbox', sandboxNoise(unit)],
      ['a noisy client', clientNoise(unit)],
    ]
    const figures: Record<string, Figures> = {}
    for (const [name, noise] of noises) {
      const { without, beside } = await measure(noise, act, count)
      figures[`without ${name}`] = without
      figures[`beside ${name}`] = beside
    }
    printTable(Object.entries(figures))
    for (const [name] of noises) {
      const moved = (figures[`beside ${name}`]?.p99 ?? Number.NaN) / (figures[`without ${name}`]?.p99 ?? Number.NaN) - 1
      process.stdout.write(`${name} moves the p99 of the others' calls by ${(moved * 100).toFixed(0)} % (target 10)\n`)
    }
    return figures
  } finally {
    await unit.dispose()
  }
}
