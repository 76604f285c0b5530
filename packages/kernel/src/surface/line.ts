// One connection of a sandbox: its requests are run one after the other, and it is not read while one of them waits for room.
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { Gate } from './gate.ts'

/** Requests that were read from a connection before an earlier one was answered; who sends more is cut off. */
const mostPipelined = 16

/** Runs the request; `leave` has to be called once, when it is over. */
type Run = (leave: () => void) => void

interface Waiting {
  readonly gate: Gate | undefined
  readonly run: Run
}

class Line {
  readonly #socket: Socket
  readonly #waiting: Waiting[] = []
  #isBusy = false
  #isPaused = false

  constructor(socket: Socket) {
    this.#socket = socket
  }

  take(gate: Gate | undefined, run: Run): void {
    if (!this.#isBusy) return this.#begin({ gate, run })
    if (this.#waiting.length >= mostPipelined) return void this.#socket.destroy()
    this.#pause()
    this.#waiting.push({ gate, run })
  }

  #begin({ gate, run }: Waiting): void {
    this.#isBusy = true
    if (gate === undefined || gate.tryEnter()) return this.#run(gate, run)
    this.#pause()
    const stopWaiting = gate.wait(() => {
      this.#socket.off('close', stopWaiting)
      this.#run(gate, run)
    })
    this.#socket.once('close', stopWaiting)
  }

  #run(gate: Gate | undefined, run: Run): void {
    // All but the last request that was read are whole.
    if (this.#waiting.length === 0) this.#resume()
    run(() => {
      gate?.leave()
      this.#isBusy = false
      const next = this.#socket.destroyed ? undefined : this.#waiting.shift()
      if (next !== undefined) this.#begin(next)
    })
  }

  #pause(): void {
    if (!this.#isPaused) this.#socket.pause()
    this.#isPaused = true
  }

  #resume(): void {
    if (this.#isPaused) this.#socket.resume()
    this.#isPaused = false
  }
}

export class Lines {
  readonly #lines = new WeakMap<Socket, Line>()

  /** What a caller that left sent behind a request that runs is not run. */
  take({ socket }: IncomingMessage, gate: Gate | undefined, run: Run): void {
    const line = this.#lines.get(socket) ?? new Line(socket)
    this.#lines.set(socket, line)
    line.take(gate, run)
  }
}
