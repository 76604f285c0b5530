// Memory of processes as the kernel shares it out (PSS).
import { readdir, readFile } from 'node:fs/promises'

/** Mebibytes; 0 for a process that is gone. */
export const pss = async (pid: number): Promise<number> => {
  const text = await readFile(`/proc/${pid}/smaps_rollup`, 'utf8').catch(() => '')
  return Number(/^Pss:\s+(\d+)/m.exec(text)?.[1] ?? 0) / 1024
}

/** Of every process in a control group whose path holds one of the marks. */
export const pssInGroups = async (marks: readonly string[]): Promise<number> => {
  let sum = 0
  for (const name of await readdir('/proc')) {
    if (!/^\d+$/.test(name)) continue
    const groups = await readFile(`/proc/${name}/cgroup`, 'utf8').catch(() => '')
    if (marks.some((mark) => groups.includes(mark))) sum += await pss(Number(name))
  }
  return sum
}
