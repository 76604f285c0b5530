// What the sandboxes of a session printed last, for an operator: bounded, in memory alone, gone with the runner.
import { limits, type SessionLogLine } from '@gatehouse/contracts'
import { wallTime } from '@gatehouse/kernel'

export class SessionOutput {
  readonly #lines: SessionLogLine[] = []
  #bytes = 0
  #dropped = 0

  add(sandbox: string, text: string): void {
    const kept = text.slice(0, limits.sessionLogLine)
    this.#lines.push({ at: wallTime(), sandbox, text: kept })
    this.#bytes += kept.length
    while (this.#bytes > limits.sessionLog || this.#lines.length > limits.sessionLogLines) {
      this.#bytes -= this.#lines.shift()?.text.length ?? 0
      this.#dropped += 1
    }
  }

  /** The newest, in order. `dropped`: how many came before those that are kept. */
  last(count: number): { lines: SessionLogLine[]; dropped: number } {
    return { lines: this.#lines.slice(-count), dropped: this.#dropped }
  }
}
