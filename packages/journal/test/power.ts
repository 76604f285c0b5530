// Simulates a disk that loses unsynced data: the content of a directory after a kill and after a power loss, at every step of an action.
import fs, { fstatSync, lstatSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import promises, { type FileHandle, open } from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import type { TestContext } from 'node:test'

/**
 * `kill`: only the process ends. `power`: unsynced data is lost. `torn`: as `power`, but half of the unsynced bytes of each file remain.
 * `disordered`: as `power`, but the last rename reached the disk before the others.
 */
export const cuts = ['kill', 'power', 'torn', 'disordered'] as const
export type Cut = (typeof cuts)[number]

type Contents = ReadonlyMap<string, Buffer>

export interface Moment<Said> {
  readonly step: string
  /** What the action has acknowledged. */
  readonly said: Said
  readonly after: Readonly<Record<Cut, Contents>>
}

interface File {
  readonly ino: number
  bytes: Buffer
  /** The state on the disk. */
  kept: Buffer
}

type Names = ReadonlyMap<string, File>

const isSame = (names: Names, others: Names): boolean =>
  names.size === others.size && [...names].every(([name, file]) => others.get(name) === file)

class Disk {
  readonly #directory: string
  #names: Names = new Map()
  /** The state before the last change. */
  #former: Names = new Map()
  #kept: Names

  /** @param directory whose whole content is on the disk */
  constructor(directory: string) {
    this.#directory = directory
    this.look()
    for (const file of this.#names.values()) file.kept = file.bytes
    this.#kept = this.#former = this.#names
  }

  look(): void {
    const known = new Map([...this.#names.values()].map((file) => [file.ino, file]))
    const names: Names = new Map(
      readdirSync(this.#directory).map((name) => {
        const path = join(this.#directory, name)
        const { ino } = lstatSync(path)
        const file = known.get(ino) ?? { ino, bytes: Buffer.alloc(0), kept: Buffer.alloc(0) }
        file.bytes = readFileSync(path)
        return [name, file]
      }),
    )
    if (isSame(names, this.#names)) return
    this.#former = this.#names
    this.#names = names
  }

  synced(ino: number): void {
    if (ino === lstatSync(this.#directory).ino) this.#kept = this.#former = this.#names
    for (const file of this.#names.values()) if (file.ino === ino) file.kept = file.bytes
  }

  after(cut: Cut): Contents {
    const contents = (file: File): Buffer => {
      if (cut === 'kill') return file.bytes
      const more = cut === 'torn' ? Math.max(0, file.bytes.length - file.kept.length) : 0
      return more === 0 ? file.kept : file.bytes.subarray(0, file.kept.length + (more >> 1))
    }
    const names = { kill: this.#names, power: this.#kept, torn: this.#kept, disordered: this.#disordered() }[cut]
    return new Map([...names].map(([name, file]) => [name, contents(file)]))
  }

  afterAll(): Record<Cut, Contents> {
    return { kill: this.after('kill'), power: this.after('power'), torn: this.after('torn'), disordered: this.after('disordered') }
  }

  #disordered(): Names {
    const names = new Map(this.#kept)
    for (const name of this.#former.keys()) if (!this.#names.has(name)) names.delete(name)
    for (const [name, file] of this.#names) if (this.#former.get(name) !== file) names.set(name, file)
    return names
  }
}

export interface Recording<Said> {
  readonly directory: string
  readonly said: () => Said
  /** A weakened system in which syncs of the directory have no effect. */
  readonly forgetNames?: boolean
}

/** Records everything that `act` does to the files of the directory, step by step. */
export const record = async <Said>(t: TestContext, recording: Recording<Said>, act: () => Promise<void>): Promise<Moment<Said>[]> => {
  const { directory, said, forgetNames = false } = recording
  const disk = new Disk(directory)
  const moments: Moment<Said>[] = []
  const look = (step: string): void => {
    disk.look()
    moments.push({ step, said: said(), after: disk.afterAll() })
  }
  const probe = await open(directory)
  const handles = Object.getPrototypeOf(probe) as FileHandle
  await probe.close()
  const root = lstatSync(directory).ino
  for (const name of ['sync', 'datasync'] as const) {
    const original = handles[name]
    t.mock.method(handles, name, async function (this: FileHandle) {
      await original.call(this)
      const { ino } = fstatSync(this.fd)
      disk.look()
      if (!forgetNames || ino !== root) disk.synced(ino)
      look(name)
    })
  }
  for (const name of ['appendFile', 'chmod', 'truncate'] as const) {
    const original = handles[name] as (...args: unknown[]) => Promise<void>
    t.mock.method(handles, name, async function (this: FileHandle, ...args: unknown[]) {
      await original.apply(this, args)
      look(name)
    })
  }
  for (const name of ['open', 'rename', 'rm'] as const) {
    const original = promises[name] as (...args: unknown[]) => Promise<unknown>
    t.mock.method(promises, name, async (...args: unknown[]) => {
      const result = await original(...args)
      look(name)
      return result
    })
  }
  const { writeSync } = fs
  t.mock.method(fs, 'writeSync', (...args: Parameters<typeof writeSync>) => {
    const written = writeSync(...args)
    look('write')
    return written
  })
  syncBuiltinESMExports()
  try {
    await act()
  } finally {
    t.mock.restoreAll()
    syncBuiltinESMExports()
  }
  return moments
}

/** Writes the state after a crash to a directory. */
export const restore = (directory: string, contents: Contents): void => {
  mkdirSync(directory, { recursive: true })
  for (const [name, bytes] of contents) writeFileSync(join(directory, name), bytes, { mode: 0o600 })
}
