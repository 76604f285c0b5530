// A thousand connections that never come to their point, by slowhttptest, and what those who ask for the health of the unit wait for.
// `pnpm bench slow [--quick]`.
import { readFile } from 'node:fs/promises'
import { setTimeout as pause } from 'node:timers/promises'
import { startUnit } from '@gatehouse/end-to-end'
import { execa } from 'execa'
import { type Figures, oneByOne, printTable } from './measure.ts'

/** Headers that never end, bodies that never end, answers that are hardly read. */
const attacks = { headers: ['-H'], body: ['-B', '-s', '900000', '-t', 'POST'], read: ['-X', '-k', '3'] } as const
const seconds = 25

const probe = async (address: string): Promise<number> => {
  const start = performance.now()
  const { status } = await fetch(`${address}/healthz`)
  await pause(20)
  if (status !== 200) throw new Error(`expected 200 of /healthz, got ${status}`)
  return performance.now() - start - 20
}

const probeFor = async (address: string, until: () => boolean): Promise<Figures> => {
  const times: number[] = []
  while (!until()) times.push(await probe(address))
  return oneByOne(times)
}

/** Established connections to a port of this host, as the kernel lists them. */
const openTo = async (port: number): Promise<number> => {
  const hex = port.toString(16).toUpperCase().padStart(4, '0')
  return (await readFile('/proc/net/tcp', 'utf8')).split('\n').filter((line) => new RegExp(`^\\s*\\d+: \\S+:${hex} \\S+ 01`).test(line))
    .length
}

export const run = async (args: readonly string[] = []): Promise<object> => {
  const connections = args.includes('--quick') ? 200 : 1_000
  const unit = await startUnit({ flags: ['--dev', '--sandbox', 'off', '--rate-limit', 'off', '--log-level', 'error'] })
  const rows: [string, Figures][] = []
  const left: Record<string, number> = {}
  try {
    const since = performance.now()
    rows.push(['nobody else', await probeFor(unit.address, () => performance.now() - since > 5_000)])
    for (const [name, flags] of Object.entries(attacks)) {
      const common = ['-c', String(connections), '-r', '500', '-i', '5', '-l', String(seconds), '-p', '3', '-u', `${unit.address}/healthz`]
      const attack = execa('slowhttptest', [...flags, ...common], { reject: false, all: true, timeout: (seconds + 30) * 1_000 })
      let isOver = false
      void attack.then(() => (isOver = true))
      rows.push([`slow ${name}, ${connections} connections`, await probeFor(unit.address, () => isOver)])
      await attack
      left[name] = await openTo(unit.port)
    }
  } finally {
    await unit.dispose()
  }
  printTable(rows)
  for (const [name, open] of Object.entries(left))
    process.stdout.write(`slow ${name}: ${open} connections were still open after ${seconds} s\n`)
  return { connections, probes: Object.fromEntries(rows), left }
}
