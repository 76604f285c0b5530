// A disk that forgets what was not synced: a recording played up to any step, and the files that a power cut would leave.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import type { Step } from './trace.ts'

/** Contents as the running system sees them, and as the platter holds them. */
interface File {
  bytes: Buffer
  kept: Buffer
}

/**
 * `kill`: the process ends, the system goes on. `power`: what was not synced is gone. `torn`: so it is, but for the
 * first half of the last write.
 */
export const cuts = ['kill', 'power', 'torn'] as const
export type Cut = (typeof cuts)[number]

const list = (root: string): string[] =>
  readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))

const write = (bytes: Buffer, at: number, more: Buffer): Buffer => {
  const next = Buffer.alloc(Math.max(bytes.length, at + more.length))
  bytes.copy(next)
  more.copy(next, at)
  return next
}

export class Disk {
  readonly #root: string
  /** Names as the running system sees them, and as the platter holds them. */
  readonly #names = new Map<string, File>()
  readonly #kept = new Map<string, File>()
  #last: { readonly path: string; readonly half: Buffer } | undefined

  /** @param root the directory as it was before the recording; everything in it is on the platter */
  constructor(root: string) {
    this.#root = root
    for (const path of list(root)) {
      const bytes = readFileSync(path)
      const file = { bytes, kept: bytes }
      this.#names.set(path, file)
      this.#kept.set(path, file)
    }
  }

  play(step: Step): void {
    if (step.act === 'say' || !step.path.startsWith(`${this.#root}/`)) {
      if (step.act === 'sync' && step.path === this.#root) this.#syncNames(this.#root)
      return
    }
    switch (step.act) {
      case 'create':
        if (!this.#names.has(step.path)) this.#names.set(step.path, { bytes: Buffer.alloc(0), kept: Buffer.alloc(0) })
        if (step.size === 0) this.#file(step.path).bytes = Buffer.alloc(0)
        return
      case 'write': {
        const file = this.#file(step.path)
        const at = step.at === 'end' ? file.bytes.length : step.at
        this.#last = { path: step.path, half: write(file.bytes, at, step.bytes.subarray(0, step.bytes.length >> 1)) }
        file.bytes = write(file.bytes, at, step.bytes)
        return
      }
      case 'truncate-to': {
        const file = this.#file(step.path)
        file.bytes = step.size <= file.bytes.length ? file.bytes.subarray(0, step.size) : write(file.bytes, step.size, Buffer.alloc(0))
        return
      }
      case 'sync':
        this.#sync(step.path)
        return
      case 'rename':
        this.#names.set(step.to, this.#file(step.path))
        this.#names.delete(step.path)
        return
      case 'remove':
        this.#names.delete(step.path)
        return
      case 'make-directory':
    }
  }

  /** Writes out what is there after a cut now. */
  restore(cut: Cut, to: string): void {
    for (const [path, file] of cut === 'kill' ? this.#names : this.#kept) {
      const target = join(to, relative(this.#root, path))
      mkdirSync(dirname(target), { recursive: true, mode: 0o700 })
      const torn = cut === 'torn' && this.#last?.path === path && file.kept !== file.bytes
      const rest = torn ? (this.#last?.half ?? file.kept) : file.kept
      writeFileSync(target, cut === 'kill' ? file.bytes : rest, { mode: 0o600 })
    }
  }

  #file(path: string): File {
    const file = this.#names.get(path)
    if (file === undefined) throw new Error(`the recording touches ${path} before it is made`)
    return file
  }

  #sync(path: string): void {
    const file = this.#names.get(path)
    if (file === undefined) this.#syncNames(path)
    else file.kept = file.bytes
  }

  /** A directory that is synced holds the names that it has now. */
  #syncNames(directory: string): void {
    const inside = (path: string): boolean => dirname(path) === directory
    for (const path of this.#kept.keys()) if (inside(path) && !this.#names.has(path)) this.#kept.delete(path)
    for (const [path, file] of this.#names) if (inside(path)) this.#kept.set(path, file)
  }
}
