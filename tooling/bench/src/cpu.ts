// Processor time of processes, as the kernel counts it.
import { readFile } from 'node:fs/promises'

/** The kernel counts in hundredths of a second. */
const tick = 10_000

type ByName = Readonly<Record<string, number>>

/** Microseconds, user and system. */
const cpuTime = async (pid: number): Promise<number> => {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8')
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) * tick
}

export const cpuOf = async (pids: ByName): Promise<ByName> =>
  Object.fromEntries(await Promise.all(Object.entries(pids).map(async ([name, pid]) => [name, await cpuTime(pid)] as const)))
