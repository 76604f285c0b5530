// Fifty sessions, a hundred calls a second and a word with each agent now and then, for as long as one likes: what must not grow.
// `pnpm bench soak [--minutes 30]`.
import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { runDirectoryOf, startUnit, type Unit, waitFor } from '@gatehouse/end-to-end'
import { overHttp } from './broker/over-http.ts'
import { grant } from './broker/unit.ts'
import { pss } from './memory.ts'
import { converse, whenQuiet } from './sandbox/talk.ts'

const sessions = 50
const callsPerSecond = 100
/** Milliseconds between two samples. */
const every = 10_000
/** A word with each agent within this many seconds. */
const round = 120

interface Sample {
  readonly seconds: number
  /** Mebibytes and open files of each process. */
  readonly processes: Readonly<Record<string, { readonly mebibytes: number; readonly files: number }>>
  readonly sockets: number
  /** Bytes of all write-ahead logs. */
  readonly wal: number
}

const filesOf = async (pid: number): Promise<number> => (await readdir(`/proc/${pid}/fd`).catch(() => [])).length

const walBytes = async ({ stateDir }: Unit): Promise<number> => {
  const names = (await readdir(stateDir, { recursive: true })).filter((name) => name.endsWith('-wal'))
  const sizes = await Promise.all(
    names.map((name) =>
      stat(join(stateDir, name))
        .then(({ size }) => size)
        .catch(() => 0),
    ),
  )
  return sizes.reduce((sum, size) => sum + size, 0)
}

const look = async (unit: Unit, since: number): Promise<Sample> => {
  const { processes } = await unit.client.status()
  const own = [{ name: 'supervisor', pid: unit.pid }, ...processes.flatMap(({ name, pid }) => (pid === undefined ? [] : [{ name, pid }]))]
  const each = own.map(async ({ name, pid }) => [name, { mebibytes: await pss(pid), files: await filesOf(pid) }] as const)
  const run = await runDirectoryOf(unit)
  const bound = (await readFile('/proc/net/unix', 'utf8')).split('\n').filter((line) => line.includes(run))
  return {
    seconds: (performance.now() - since) / 1_000,
    processes: Object.fromEntries(await Promise.all(each)),
    sockets: bound.length,
    wal: await walBytes(unit),
  }
}

interface Load {
  calls: number
  talks: number
  /** Text of each failure, once. */
  readonly failures: Set<string>
}

const note =
  ({ failures }: Load) =>
  (error: unknown) =>
    void failures.add(error instanceof Error ? error.message : String(error))

const openSockets = async (unit: Unit): Promise<string[]> => {
  for (let index = 0; index < sessions; index += 1) await converse(unit, `soak-${index}`, { patience: 120_000, pause: 50 })
  await grant(unit, 'sample')
  const folder = join(await runDirectoryOf(unit), 'tools')
  const names = await waitFor('the sockets of the sessions', 60_000, async () => {
    const found = await readdir(folder)
    return found.length === sessions ? found : undefined
  })
  return names.map((name) => join(folder, name, 'tools.sock'))
}

/** On the clock, whether the one before has come back or not. */
const callOnTheClock = async (sockets: readonly string[], load: Load, end: AbortSignal): Promise<void> => {
  const asks = sockets.map((socketPath) => overHttp({ socketPath, path: '/call' }))
  const body = JSON.stringify({ name: 'sample__echo', arguments: { text: 'soak' } })
  const since = performance.now()
  for (let sent = 0; !end.aborted; sent += 1) {
    await pause(Math.max(0, since + (sent * 1_000) / callsPerSecond - performance.now()))
    const ask = asks[sent % asks.length]
    ask?.({ body }).then(({ text }) => {
      load.calls += 1
      if (!text.includes('"isError":false')) load.failures.add(text.slice(0, 200))
    }, note(load))
  }
}

const talkInTurn = async (unit: Unit, load: Load, end: AbortSignal): Promise<void> => {
  for (let index = 0; !end.aborted; index += 1) {
    await converse(unit, `soak-${index % sessions}`, { patience: 120_000, pause: 50 }).then(() => void (load.talks += 1), note(load))
    await pause((round / sessions) * 1_000)
  }
}

/** By least squares, for each hour. */
const slope = (points: readonly (readonly [seconds: number, value: number])[]): number => {
  const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length
  const [x, y] = [mean(points.map(([at]) => at)), mean(points.map(([, value]) => value))]
  const over = points.reduce((sum, [at]) => sum + (at - x) ** 2, 0)
  return over === 0 ? 0 : (points.reduce((sum, [at, value]) => sum + (at - x) * (value - y), 0) / over) * 3_600
}

const show = (samples: readonly Sample[], { calls, talks, failures }: Load): void => {
  const [first, last] = [samples[0], samples.at(-1)]
  if (first === undefined || last === undefined) return
  process.stdout.write(`${calls} calls and ${talks} talks in ${last.seconds.toFixed(0)} s, ${failures.size} kinds of failure\n`)
  for (const failure of failures) process.stdout.write(`failed: ${failure}\n`)
  process.stdout.write(`${'process'.padEnd(16)} MiB first  middle   last   MiB an hour, second half   files first  last\n`)
  const [middle, half] = [samples[samples.length >> 1] ?? last, samples.slice(samples.length >> 1)]
  for (const [name, { mebibytes, files }] of Object.entries(first.processes)) {
    const grown = slope(half.map(({ seconds, processes }) => [seconds, processes[name]?.mebibytes ?? 0]))
    const cells = [mebibytes, middle.processes[name]?.mebibytes ?? 0, last.processes[name]?.mebibytes ?? 0].map((value) =>
      value.toFixed(1).padStart(8),
    )
    process.stdout.write(
      `${name.padEnd(16)} ${cells.join('')} ${grown.toFixed(1).padStart(20)} ${String(files).padStart(20)} ${String(last.processes[name]?.files ?? 0).padStart(6)}\n`,
    )
  }
  process.stdout.write(
    `sockets ${first.sockets} → ${last.sockets}; write-ahead logs at most ${(Math.max(...samples.map(({ wal }) => wal)) / 2 ** 20).toFixed(1)} MiB\n`,
  )
}

const minutesOf = (args: readonly string[]): number => {
  if (args.includes('--quick')) return 1
  const at = args.indexOf('--minutes')
  return at < 0 ? 30 : Number(args[at + 1])
}

export const run = async (args: readonly string[] = []): Promise<object> => {
  const minutes = minutesOf(args)
  const unit = await startUnit({ flags: ['--dev', '--sandbox', 'bubblewrap', '--rate-limit', 'off', '--log-level', 'error'] })
  const load: Load = { calls: 0, talks: 0, failures: new Set() }
  const end = new AbortController()
  const samples: Sample[] = []
  try {
    await whenQuiet(unit)
    const sockets = await openSockets(unit)
    const running = Promise.all([callOnTheClock(sockets, load, end.signal), talkInTurn(unit, load, end.signal)])
    const since = performance.now()
    while (performance.now() - since < minutes * 60_000) {
      await look(unit, since).then((sample) => void samples.push(sample), note(load))
      await pause(every)
    }
    end.abort()
    await running
    show(samples, load)
    return { minutes, sessions, callsPerSecond, calls: load.calls, talks: load.talks, failures: [...load.failures], samples }
  } finally {
    end.abort()
    await unit.dispose()
  }
}
