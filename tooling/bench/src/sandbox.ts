// What a sandbox costs, by driver: the engine's own start of the agent, a first and a warm message, memory. Then a thousand sessions that rest.
// `pnpm bench sandbox [--quick] [--many]`; with `--many` the last part alone.
import { startUnit, type Unit, unitIdOf } from '@gatehouse/end-to-end'
import { execa } from 'execa'
import { type Figures, printTable } from './measure.ts'
import { pssInGroups } from './memory.ts'
import { type Engine, engines, importImage } from './sandbox/engines.ts'
import { type Amounts, type Many, measureMany } from './sandbox/many.ts'
import { ownStart } from './sandbox/own-start.ts'
import { cold, warm, whenQuiet } from './sandbox/talk.ts'

interface Effort extends Amounts {
  readonly starts: number
  readonly warm: number
}

const efforts: Readonly<Record<'quick' | 'whole', Effort>> = {
  quick: { starts: 3, warm: 50, sessions: 100, talking: 20 },
  whole: { starts: 15, warm: 500, sessions: 1_000, talking: 200 },
}

const say = (text: string): void => void process.stdout.write(`${text}\n`)

const isThere = async ({ needs }: Engine): Promise<boolean> => {
  const found = await Promise.all(needs.map((name) => execa(name, ['--version'], { reject: false, timeout: 10_000 })))
  return found.every(({ failed }) => !failed)
}

/** What the control groups of this unit's sandboxes are called: by its own id, or by those of its containers. */
const marksOf = async (unit: Unit): Promise<string[]> => {
  const unitId = unitIdOf(unit)
  const filter = ['ps', '--quiet', '--no-trunc', '--filter', `label=gatehouse.unit=${unitId}`]
  const listed = await execa('docker', filter, { reject: false })
  return [unitId, ...(listed.stdout ?? '').split('\n').filter((id) => id !== '')]
}

const measureDriver = async (engine: Engine, effort: Effort) => {
  const own = await ownStart(engine, effort.starts)
  const unit = await startUnit({ flags: ['--dev', ...engine.flags, '--rate-limit', 'off', '--log-level', 'error'] })
  try {
    await whenQuiet(unit)
    const first = await cold(unit, effort.starts)
    const megabytes = (await pssInGroups(await marksOf(unit))) / (effort.starts + 1)
    return { own, cold: first, addedP50: first.p50 - own.p50, warm: await warm(unit, effort.warm), megabytesPerSandbox: megabytes }
  } finally {
    await unit.dispose()
  }
}

type Measured = Awaited<ReturnType<typeof measureDriver>>

const show = (name: string, { own, cold: first, warm: later, addedP50, megabytesPerSandbox }: Measured): void => {
  say(`\n== ${name}`)
  const rows: [string, Figures][] = [
    ["the engine's own start", own],
    ['first message of a session', first],
    ['a message to a warm session', later],
  ]
  printTable(rows)
  say(`${addedP50.toFixed(0)} ms above the engine's own start; ${megabytesPerSandbox.toFixed(0)} MiB a sandbox (PSS)`)
}

const showMany = (many: Many): void => {
  say(`\n== ${many.sessions} sessions without a process, then ${many.talking} that talk at once`)
  const halves = `${many.firstHalfKib.toFixed(0)} in the first half, ${many.secondHalfKib.toFixed(0)} in the second`
  say(`${many.kibPerSession.toFixed(0)} KiB a session on the host (${halves})`)
  say(
    `${many.talking - many.failed} of ${many.talking} answered after ${(many.talkedMs / 1_000).toFixed(1)} s, each by a sandbox of its own`,
  )
  printTable([['receipt of a first message', many.receipts]])
  for (const reason of many.reasons) say(`not answered: ${reason}`)
}

const measureDrivers = async (effort: Effort): Promise<Record<string, Measured>> => {
  const drivers: Record<string, Measured> = {}
  const dropImage = await importImage()
  try {
    for (const engine of engines) {
      if (!(await isThere(engine))) {
        say(`\n== ${engine.name}: skipped, it needs ${engine.needs.join(' and ')}`)
        continue
      }
      const measured = await measureDriver(engine, effort)
      drivers[engine.name] = measured
      show(engine.name, measured)
    }
  } finally {
    await dropImage()
  }
  return drivers
}

export const run = async (args: readonly string[] = []): Promise<object> => {
  const effort = efforts[args.includes('--quick') ? 'quick' : 'whole']
  const drivers = args.includes('--many') ? {} : await measureDrivers(effort)
  const many = await measureMany(effort)
  showMany(many)
  return { drivers, many }
}
