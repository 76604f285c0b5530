// The last lines that each local server wrote to its stderr, with the secrets of its entry redacted.
import { limits, type ServerLogLine, type ServerLogs, type SessionID } from '@gatehouse/contracts'
import { wallTime } from '@gatehouse/kernel'
import type { Redactor } from '../../secrets/redact.ts'
import { createLines } from './lines.ts'

interface Ring {
  readonly lines: ServerLogLine[]
  bytes: number
  next: number
}

export interface Source {
  readonly name: string
  /** Where a session has a server of its own. */
  readonly session?: SessionID | undefined
  readonly redactor: Redactor
}

export interface LogQuery {
  /** Lines behind this one. */
  readonly after?: number | undefined
  /** Maximum number of lines, newest first kept. */
  readonly limit?: number | undefined
}

/** A line is redacted whole, so that no value can lie across two pieces; one too long for that is not kept. */
const overlongNotice = '(a line too long to be kept)'

export class ServerLogStore {
  readonly #rings = new Map<string, Ring>()

  /** Gives the function that takes the next piece of a server's stderr; without a piece, it has ended. */
  take({ name, session, redactor }: Source): (chunk?: Buffer) => void {
    // Some write two bytes for each character: a value among zeros would not be found.
    const keep = (text: string): void => this.#push(name, redactor.text(text.replaceAll('\0', '')).slice(0, limits.serverLogLine), session)
    const cut = createLines({ most: limits.serverLogLine, onLine: keep, onOverlong: () => this.#push(name, overlongNotice, session) })
    return (chunk) => cut(chunk ?? Buffer.from('\n'))
  }

  read(name: string, { after = 0, limit = limits.serverLogLines }: LogQuery = {}): ServerLogs {
    const { lines, next } = this.#ring(name)
    // A cursor of before a restart of the broker lies beyond its end: it starts again.
    const from = after < next ? after : 0
    const newer = lines.filter(({ seq }) => seq > from)
    return { items: newer.slice(-limit), next: next - 1, missed: (lines[0]?.seq ?? next) > from + 1 && from > 0 }
  }

  /** Removes the logs of servers that are no longer in the catalog. */
  keepOnly(names: ReadonlySet<string>): void {
    for (const name of this.#rings.keys()) if (!names.has(name)) this.#rings.delete(name)
  }

  #ring(name: string): Ring {
    return this.#rings.get(name) ?? { lines: [], bytes: 0, next: 1 }
  }

  #push(name: string, text: string, session: SessionID | undefined): void {
    const ring = this.#ring(name)
    this.#rings.set(name, ring)
    ring.lines.push({ seq: ring.next, at: wallTime(), text, ...(session !== undefined && { session }) })
    ring.next += 1
    ring.bytes += text.length
    while (ring.bytes > limits.serverLogs || ring.lines.length > limits.serverLogLines) ring.bytes -= ring.lines.shift()?.text.length ?? 0
  }
}
