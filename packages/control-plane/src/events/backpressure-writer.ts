// Writes to one reader and bounds the bytes that it leaves unread.
export interface OutletOptions {
  /** Bytes that may wait. */
  readonly most: number
  /** The reader is gone, or has been told the end. */
  readonly onClose: () => void
  /** Ends the connection itself, unless the reader has taken all: an orderly end waits behind what it has not taken. */
  readonly cut: () => void
}

export interface BackpressureWriter {
  readonly stream: ReadableStream<Uint8Array>
  /** Cuts the reader off when it has left too much unread. */
  write(chunk: Uint8Array): void
  /** Resolves when everything was taken, or when there is no reader any more. */
  taken(): Promise<void>
  isTaken(): boolean
  /** How often the reader has come for more. */
  readings(): number
  isOpen(): boolean
  end(): void
  cut(): void
}

/** Small lines travel together. */
const piece = 64 * 1024
/** Milliseconds that an orderly end may take. */
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
    // The stream itself holds nothing, so that it asks exactly when its reader does.
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

  /** False when it was closed before. */
  #close(): boolean {
    const controller = this.#controller
    if (controller === undefined) return false
    this.#controller = undefined
    this.#queue = []
    this.#wake()
    try {
      controller.close()
    } catch {
      // The reader itself has cancelled.
    }
    this.#options.onClose()
    return true
  }
}
