// Feeds the lines of a byte stream to an inspector.
import type { Fault, Inspector } from './inspector.ts'

const newline = 0x0a

/** Resolves to the first fault in the stream. A last line without a newline is a fault. */
export const inspect = async (stream: AsyncIterable<Buffer>, inspector: Inspector): Promise<Fault | undefined> => {
  let pending: Buffer[] = []
  for await (const block of stream) {
    let from = 0
    for (let at = block.indexOf(newline); at !== -1; at = block.indexOf(newline, from)) {
      const rest = block.subarray(from, at)
      const fault = inspector.next(pending.length === 0 ? rest : Buffer.concat([...pending, rest]))
      if (fault !== undefined) return fault
      if (pending.length > 0) pending = []
      from = at + 1
    }
    if (from < block.length) pending.push(block.subarray(from))
  }
  if (pending.length === 0) return undefined
  const fault = inspector.next(Buffer.concat(pending))
  return fault ?? { line: inspector.lines, reason: `line ${inspector.lines}: it does not end with a newline` }
}
