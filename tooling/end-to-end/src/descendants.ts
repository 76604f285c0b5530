// The processes that a process of the test has started, and what those have.
import { readFile } from 'node:fs/promises'

/** Every process below one, by /proc. */
export const descendants = async (pid: number): Promise<number[]> => {
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '')
  const direct = children.split(' ').filter(Boolean).map(Number)
  return [...direct, ...(await Promise.all(direct.map(descendants))).flat()]
}

const end = (pid: number, signal: NodeJS.Signals): void => {
  try {
    process.kill(pid, signal)
  } catch {
    // It has ended by itself.
  }
}

export const endNow = (pid: number): void => end(pid, 'SIGKILL')
export const endInOrder = (pid: number): void => end(pid, 'SIGTERM')
