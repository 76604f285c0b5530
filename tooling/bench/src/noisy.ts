// What a neighbour that takes all it can costs the others: agents that call tools, and a client that reads, second by second beside
// it and beside nobody. `pnpm bench noisy [--quick]`.
import { loadavg } from 'node:os'
import { setTimeout as pause } from 'node:timers/promises'
import { startUnit, type Unit } from '@gatehouse/end-to-end'
import { atEase, type Ease, measureByTurns, type Noise } from './by-turns.ts'
import { type Figures, printTable } from './measure.ts'
import { idleNoise, sandboxNoise, startClient } from './noisy/kinds.ts'
import { converse, whenQuiet } from './sandbox/talk.ts'
import { type BenchUnit, grant, openSockets, throughBroker } from './broker/unit.ts'

/** Each about a second. A session may make ten calls a second, a client fifty requests. */
const calls: Ease = { count: 110, callers: 4, between: 32 }
const requests: Ease = { count: 38, callers: 2, between: 48 }
const sessions = 16
/** Changes that the noisy client reads again and again. */
const changes = 40

const decide = async (unit: Unit, { kind, after }: { kind: 'tools' | 'persona'; after: object }, agentGroupID = 'dev-agent') => {
  const { id } = await unit.client.changes.submit({ kind, agentGroupID, after })
  await unit.client.changes.decide(id, { outcome: 'approve', decidedBy: 'bench' })
}

const prepare = async (unit: Unit): Promise<void> => {
  const tools = (await unit.client.groups.list()).items.find(({ id }) => id === 'dev-agent')?.tools ?? []
  await decide(unit, { kind: 'tools', after: { enabled: [...tools, 'run_script'] } })
  const { id } = await unit.client.changes.submit({
    kind: 'agent_create',
    agentGroupID: 'reader',
    after: { id: 'reader', name: 'reader', agent: 'mock' },
  })
  await unit.client.changes.decide(id, { outcome: 'approve', decidedBy: 'bench' })
  for (let number = 0; number < changes; number += 1) {
    await decide(unit, { kind: 'persona', after: { instructions: `${number} `.repeat(500) } }, 'reader')
    await pause(50)
  }
}

/** One turn: both kinds of neighbours at the same time. */
const measureOf = ({ unit, ...bench }: BenchUnit) => {
  const { act } = throughBroker({ unit, ...bench }, 'sample')
  return async () => {
    const [called, read] = await Promise.all([atEase(act, calls), atEase(() => unit.client.groups.list(), requests)])
    return { 'tool calls': called, "another client's requests": read }
  }
}

const say = (text: string): void => void process.stdout.write(`${text}\n`)

/** `nobody` is the first; another nobody says how far two figures of the same lie apart, an idle loop what a busy processor costs by itself. */
const show = (figures: readonly (readonly [string, Readonly<Record<string, Figures>>])[]): void => {
  printTable(
    figures.flatMap(([noise, kinds]) => Object.entries(kinds).map(([kind, times]) => [`${kind}, beside ${noise}`, times] as const)),
  )
  const [alone, ...others] = figures
  for (const [noise, kinds] of others)
    for (const [kind, { p99 }] of Object.entries(kinds)) {
      const moved = (p99 / (alone?.[1][kind]?.p99 ?? Number.NaN) - 1) * 100
      say(`${noise} moves the p99 of ${kind} by ${moved.toFixed(0)} % (target 10)`)
    }
}

const nobody: Noise = async () => async () => undefined

export const run = async (args: readonly string[] = []): Promise<object> => {
  const turns = args.includes('--quick') ? 4 : 24
  const unit = await startUnit({ flags: ['--dev', '--sandbox', 'bubblewrap', '--log-level', 'error'] })
  try {
    await whenQuiet(unit)
    const bench = await openSockets(unit, sessions)
    await grant(unit, 'sample')
    await converse(unit, 'noisy', { patience: 120_000, pause: 100 })
    await prepare(unit)
    const client = await startClient(unit)
    try {
      const measure = measureOf(bench)
      await measure()
      const noises = {
        nobody,
        'nobody, again': nobody,
        'an idle loop': idleNoise,
        'a noisy sandbox': sandboxNoise(unit),
        'a noisy client': client.noise,
      }
      const taken = await measureByTurns(Object.values(noises), measure, turns)
      const figures = Object.keys(noises).map((name, at) => [name, taken[at] ?? {}] as const)
      show(figures)
      say(`the noisy client was answered ${JSON.stringify(client.heard)}; load ${loadavg()[0]?.toFixed(1)}`)
      return { figures: Object.fromEntries(figures), heard: client.heard, load: loadavg() }
    } finally {
      await client.close()
    }
  } finally {
    await unit.dispose()
  }
}
