// From the supervisor's start to a 200 of `/readyz`, beside as many bare Nodes in parallel; then memory by process (PSS).
import { execa } from 'execa'
import { startUnit } from '@gatehouse/end-to-end'
import { pss } from './memory.ts'

const rounds = 7

const bareNodes = async (count: number): Promise<number> => {
  const start = performance.now()
  await Promise.all(Array.from({ length: count }, () => execa(process.execPath, ['-e', '0'])))
  return performance.now() - start
}

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN

export const run = async (): Promise<object> => {
  const boots: number[] = []
  const bare: number[] = []
  let memory: Record<string, number> = {}
  for (let round = 0; round < rounds; round += 1) {
    bare.push(await bareNodes(5))
    const start = performance.now()
    const unit = await startUnit({ flags: ['--dev', '--sandbox', 'none'] })
    boots.push(performance.now() - start)
    const { processes } = await unit.client.status()
    const pids = [
      ['supervisor', unit.pid] as const,
      ...processes.flatMap(({ name, pid }) => (pid === undefined ? [] : [[name, pid] as const])),
    ]
    memory = Object.fromEntries(await Promise.all(pids.map(async ([name, pid]) => [name, await pss(pid)] as const)))
    await unit.dispose()
  }
  const total = Object.values(memory).reduce((sum, value) => sum + value, 0)
  process.stdout.write(
    `boot to /readyz          ${median(boots).toFixed(0)} ms (median of ${rounds}, ${Math.min(...boots).toFixed(0)} to ${Math.max(...boots).toFixed(0)})\n`,
  )
  process.stdout.write(`five bare Nodes at once  ${median(bare).toFixed(0)} ms, ratio ${(median(boots) / median(bare)).toFixed(1)}\n\n`)
  for (const [name, value] of Object.entries(memory)) process.stdout.write(`${name.padEnd(24)} ${value.toFixed(0).padStart(4)} MB PSS\n`)
  process.stdout.write(`${'in all'.padEnd(24)} ${total.toFixed(0).padStart(4)} MB PSS\n`)
  return { boots, bare, memory, total }
}
