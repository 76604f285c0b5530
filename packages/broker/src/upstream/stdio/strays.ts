// What a local server left behind outside of its process group, where the host has no process namespace for it: told by a
// mark in the environment that every child inherits.
import { readdir, readFile } from 'node:fs/promises'

export const markName = 'GATEHOUSE_SERVER'

const isMarked = async (pid: number, mark: string): Promise<boolean> => {
  const environment = await readFile(`/proc/${pid}/environ`, 'utf8').catch(() => '')
  return environment.split('\0').includes(`${markName}=${mark}`)
}

const kill = (pid: number): void => {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // Gone by itself.
  }
}

/** Ends those that are there now; what they start meanwhile is found by another round. */
export const endStrays = async (mark: string): Promise<void> => {
  for (let round = 0; round < 8; round += 1) {
    const pids = (await readdir('/proc').catch(() => [])).map(Number).filter((pid) => pid > 1 && pid !== process.pid)
    const marked = await Promise.all(pids.map(async (pid) => ((await isMarked(pid, mark)) ? pid : 0)))
    const strays = marked.filter((pid) => pid !== 0)
    if (strays.length === 0) return
    for (const pid of strays) kill(pid)
  }
}
