// Records of calls as JSON lines: with the kernel before an append resolves, on disk within 200 ms. Not chained.
import { ServiceError } from '@gatehouse/contracts'
import { openRecordFile, type RecordFile } from './record-file.ts'

export interface Records {
  /** Written when it resolves; rejects with `audit-unwritable` while the file cannot be written or synced. */
  append(record: object): Promise<void>
  /** After the records that wait; on disk when it resolves. */
  close(): Promise<void>
}

interface Waiting {
  readonly line: string
  readonly resolve: () => void
  readonly reject: (error: unknown) => void
}

const syncTime = 100

const unwritable = (path: string, cause: unknown): ServiceError =>
  new ServiceError('audit-unwritable', {
    detail: `${path}: records cannot be written`,
    hint: 'free disk space or mend the disk; recording goes on by itself',
    cause,
  })

class Recorder implements Records {
  readonly #path: string
  readonly #file: RecordFile
  #waiting: Waiting[] = []
  #running: Promise<void> | undefined
  #timer: NodeJS.Timeout | undefined
  #syncFault: unknown
  #closed = false

  constructor(path: string, file: RecordFile) {
    this.#path = path
    this.#file = file
  }

  append(record: object): Promise<void> {
    const line = JSON.stringify(record)
    if (this.#closed) return Promise.reject(new ServiceError('unavailable', { detail: `${this.#path}: closed` }))
    if (this.#syncFault !== undefined) return Promise.reject(unwritable(this.#path, this.#syncFault))
    return new Promise((resolve, reject) => {
      this.#waiting.push({ line, resolve, reject })
      this.#running ??= this.#run()
    })
  }

  async close(): Promise<void> {
    this.#closed = true
    await this.#running
    clearTimeout(this.#timer)
    await this.#file.close()
  }

  async #run(): Promise<void> {
    while (this.#waiting.length > 0) {
      // Records of one turn of the event loop share a write.
      await new Promise((resolve) => void setImmediate(resolve))
      await this.#flush()
    }
    this.#running = undefined
  }

  async #flush(): Promise<void> {
    const waiting = this.#waiting
    this.#waiting = []
    try {
      await this.#file.write(Buffer.from(waiting.map(({ line }) => `${line}\n`).join('')))
      this.#timer ??= this.#syncLater()
      for (const { resolve } of waiting) resolve()
    } catch (error) {
      const refusal = unwritable(this.#path, error)
      for (const { reject } of waiting) reject(refusal)
    }
  }

  #syncLater(): NodeJS.Timeout {
    return setTimeout(() => {
      this.#file.sync().then(
        () => this.#synced(undefined),
        (error: unknown) => this.#synced(error),
      )
    }, syncTime).unref()
  }

  #synced(fault: unknown): void {
    this.#syncFault = fault
    this.#timer = fault === undefined || this.#closed ? undefined : this.#syncLater()
  }
}

/** Cuts a torn last line off. A file that is moved away is made anew at the next record. */
export const openRecords = async ({ path }: { path: string }): Promise<Records> => new Recorder(path, await openRecordFile(path))
