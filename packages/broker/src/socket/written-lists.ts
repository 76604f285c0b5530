// Lists as they leave. Most are those of a moment ago, and sessions of one group have the same: the last few are kept as bytes.
import type { ListedText } from '../calls/listed.ts'

const mostKept = 4
/** Bytes of one that is kept. */
const largest = 1024 * 1024

interface Written {
  readonly tools: readonly ListedText[]
  /** A `ToolList` as JSON. */
  readonly bytes: Buffer
}

const isSame = (one: readonly ListedText[], other: readonly ListedText[]): boolean =>
  one.length === other.length && one.every((tool, at) => tool === other[at])

const write = (tools: readonly ListedText[]): Written => {
  const sorted = tools.toSorted((a, b) => (a.name < b.name ? -1 : 1))
  return { tools, bytes: Buffer.from(`{"tools":[${sorted.map(({ text }) => text).join()}]}`) }
}

export const createListWriter = (): ((tools: readonly ListedText[]) => Buffer) => {
  let kept: readonly Written[] = []
  return (tools) => {
    const known = kept.find((one) => isSame(one.tools, tools))
    const written = known ?? write(tools)
    if (written.bytes.length <= largest) kept = [written, ...kept.filter((one) => one !== known)].slice(0, mostKept)
    return written.bytes
  }
}
