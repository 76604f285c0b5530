// Uploads in progress: each is in a file that only the host can access until it is complete and synced.
import { createHash, type Hash, randomUUID } from 'node:crypto'
import { type FileHandle, mkdir, open, rm } from 'node:fs/promises'
import { limits, ServiceError, stateFiles } from '@gatehouse/contracts'
import { incomingName } from '@gatehouse/kernel'
import { isLowOnSpace, noSpace, type Where } from './refusal.ts'

export interface Upload extends Where {
  readonly file: FileHandle
  readonly path: string
  readonly hash: Hash
  readonly spool: string
  bytes: number
  idle: NodeJS.Timeout | undefined
}

const unknown = (): ServiceError =>
  new ServiceError('conflict', { detail: 'there is no such upload, or it timed out', hint: 'upload the file again' })

const homeOf = (stateDir: string): string => `${stateDir}/${stateFiles.groups}/${incomingName}`

export class Uploads {
  readonly #home: string
  readonly #idle: number
  readonly #open = new Map<string, Upload>()
  #ready: Promise<void> | undefined

  constructor(stateDir: string, idle: number = limits.filePutIdle) {
    this.#home = homeOf(stateDir)
    this.#idle = idle
  }

  async begin(where: Where): Promise<string> {
    if (this.#open.size >= limits.filePuts)
      throw new ServiceError('queue-full', { detail: `expected at most ${limits.filePuts} files at once, got more`, hint: 'try again' })
    await (this.#ready ??= this.#prepare())
    if (await isLowOnSpace(this.#home)) throw noSpace()
    const id = randomUUID()
    const spool = `${this.#home}/${id}`
    const file = await open(spool, 'wx+', 0o600)
    this.#open.set(id, { ...where, file, spool, hash: createHash('sha256'), bytes: 0, idle: undefined })
    this.#wait(id)
    return id
  }

  async add(id: string, data: Buffer): Promise<void> {
    const upload = this.#find(id)
    if (upload.bytes + data.length > limits.file) {
      await this.drop(id)
      throw new ServiceError('too-large', { detail: `expected a file of at most ${limits.file} bytes, got more` })
    }
    upload.bytes += data.length
    upload.hash.update(data)
    try {
      await upload.file.writeFile(data)
    } catch (error) {
      await this.drop(id)
      throw error
    }
    this.#wait(id)
  }

  /** Whoever takes it drops it. */
  take(id: string): Upload {
    const upload = this.#find(id)
    clearTimeout(upload.idle)
    return upload
  }

  async drop(id: string): Promise<void> {
    const upload = this.#open.get(id)
    this.#open.delete(id)
    if (upload === undefined) return
    clearTimeout(upload.idle)
    await upload.file.close().catch(() => undefined)
    await rm(upload.spool, { force: true })
  }

  async close(): Promise<void> {
    await Promise.all([...this.#open.keys()].map((id) => this.drop(id)))
  }

  /** Removes uploads of an earlier process. */
  async #prepare(): Promise<void> {
    await rm(this.#home, { recursive: true, force: true })
    await mkdir(this.#home, { mode: 0o700 })
  }

  #find(id: string): Upload {
    const upload = this.#open.get(id)
    if (upload === undefined) throw unknown()
    return upload
  }

  #wait(id: string): void {
    const upload = this.#open.get(id)
    if (upload === undefined) return
    clearTimeout(upload.idle)
    upload.idle = setTimeout(() => void this.drop(id), this.#idle).unref()
  }
}
