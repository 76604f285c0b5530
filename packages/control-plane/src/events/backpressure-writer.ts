// Writes to one reader and limits the unread bytes.
export interface OutletOptions {
  /** Maximum unread bytes. */
  readonly most: number
  /** Called when the reader is gone or the stream has ended. */
  readonly onClose: () => void
  /** Closes the connection if the reader has not read everything, because a regular end would wait for it. */
  readonly cut: () => void
}

export interface BackpressureWriter {
  readonly stream: ReadableStream<Uint8Array>
  /** Disconnects the reader if it leaves too many bytes unread. */
  write(chunk: Uint8Array): void
  /** Resolves when everything was read or the reader is gone. */
  taken(): Promise<void>
  isTaken(): boolean
  /** How often the reader has pulled. */
  readings(): number
  isOpen(): boolean
  end(): void
  cut(): void
}

/** Small lines are sent together. */
const piece = 64 * 1024
/** Milliseconds to wait for a regular end. */
const linger = 500

export class ReaderOutlet implements BackpressureWriter {
  readonly stream: ReadableStream<Uint8Array>
  readonly #options: OutletOptions
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined
  #queue: Uint8Array[] = []
  #bytes = 0
  #wanted = false
  #readings = 0
  #waiting: (() => void)[] = []

  constructor(options: OutletOptions) {
    this.#options = options
    // Without a buffer of its own, the stream pulls exactly when the reader does.
    this.stream = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          this.#controller = controller
        },
        pull: () => this.#pull(),
        cancel: () => void this.#close(),
      },
      { highWaterMark: 0 },
    )
  }

  write(chunk: Uint8Array): void {
    if (this.#controller === undefined || chunk.byteLength === 0) return
    this.#queue.push(chunk)
    this.#bytes += chunk.byteLength
    if (this.#wanted) this.#flush()
    else if (this.#bytes > this.#options.most) this.cut()
  }

  taken(): Promise<void> {
    return this.isTaken() ? Promise.resolve() : new Promise((resolve) => this.#waiting.push(resolve))
  }

  isTaken(): boolean {
    return this.#queue.length === 0
  }

  readings(): number {
    return this.#readings
  }

  isOpen(): boolean {
    return this.#controller !== undefined
  }

  end(): void {
    if (!this.isTaken()) return this.cut()
    if (this.#close()) setTimeout(this.#options.cut, linger).unref()
  }

  cut(): void {
    if (this.#close()) this.#options.cut()
  }

  #pull(): void {
    this.#readings += 1
    this.#wanted = true
    if (!this.isTaken()) this.#flush()
  }

  #flush(): void {
    let size = 0
    const count = this.#queue.findIndex((chunk) => (size += chunk.byteLength) >= piece)
    const chunks = this.#queue.splice(0, count === -1 ? this.#queue.length : count + 1)
    this.#bytes -= size
    this.#wanted = false
    this.#controller?.enqueue(chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks))
    if (this.isTaken()) this.#wake()
  }

  #wake(): void {
    for (const resume of this.#waiting) resume()
    this.#waiting = []
  }

  /** False if it was already closed. */
  #close(): boolean {
    const controller = this.#controller
    if (controller === undefined) return false
    this.#controller = undefined
    this.#queue = []
    this.#wake()
    try {
      controller.close()
    } catch {
      // The reader has cancelled.
    }
    this.#options.onClose()
    return true
  }
}
