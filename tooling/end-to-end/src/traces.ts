// What is left of a unit on its host: processes, mounts, sockets, control groups and containers that carry its own marks, and no one else's.
import { glob, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { execa } from 'execa'
import { runDirectoryOf, unitIdOf } from './run-directory.ts'

export interface Marks {
  readonly unitId: string
  readonly directories: readonly string[]
}

const read = (path: string): Promise<string> => readFile(path, 'utf8').catch(() => '')

/** Processes that see or name what is the unit's alone, their mounts among it. */
const ofProcesses = async ({ directories }: Marks): Promise<string[]> => {
  const traces: string[] = []
  for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name) && name !== String(process.pid))) {
    for (const file of ['cmdline', 'mountinfo']) {
      const text = await read(`/proc/${pid}/${file}`)
      if (directories.some((directory) => text.includes(directory))) traces.push(`${file} of ${pid}`)
    }
  }
  return traces
}

/** Of this process's network, where every socket of the unit is bound. */
const ofSockets = async ({ directories }: Marks): Promise<string[]> => {
  const bound = (await read('/proc/net/unix')).split('\n').filter((line) => directories.some((directory) => line.includes(directory)))
  const files: string[] = []
  for (const directory of directories) for await (const path of glob(join(directory, '**/*.sock'))) files.push(path)
  return [...bound, ...files].map((path) => `socket ${path}`)
}

const ofGroups = async ({ unitId }: Marks): Promise<string[]> => {
  const found: string[] = []
  for await (const path of glob([`/sys/fs/cgroup/gatehouse/${unitId}`, `/sys/fs/cgroup/*/gatehouse/${unitId}`]))
    found.push(`control group ${path}`)
  return found
}

/** An engine that is not there has none. */
const ofContainers = async ({ unitId }: Marks): Promise<string[]> => {
  const found: string[] = []
  for (const engine of ['docker', 'podman'])
    for (const label of ['unit', 'tools']) {
      const listed = await execa(engine, ['ps', '--all', '--quiet', '--filter', `label=gatehouse.${label}=${unitId}`], {
        reject: false,
      })
      found.push(...(listed.stdout ?? '').split('\n').flatMap((id) => (id === '' ? [] : `container ${id} of ${engine}`)))
    }
  return found
}

/** While its state directory is at its place; they hold for what it leaves also when that is gone. */
export const marksOf = async (unit: { readonly stateDir: string }): Promise<Marks> => ({
  unitId: unitIdOf(unit),
  directories: [unit.stateDir, await runDirectoryOf(unit)],
})

/** `all`: also sockets, groups and containers, which a unit that had no time to end leaves to its next start. */
export const findTraces = async (marks: Marks, all: boolean): Promise<string[]> => {
  const looks = all ? [ofProcesses, ofSockets, ofGroups, ofContainers] : [ofProcesses]
  return (await Promise.all(looks.map((look) => look(marks)))).flat()
}
