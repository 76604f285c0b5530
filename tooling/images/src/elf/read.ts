// Reads of a program what its loader reads: for which machine it is, and which shared objects it wants. 64 bit, little endian.
import { type FileHandle, open } from 'node:fs/promises'

export interface Elf {
  /** As in the header: 62 is amd64, 183 is arm64. */
  readonly machine: number
  /** Path of the loader; null for a shared object. */
  readonly interpreter: string | null
  readonly needed: readonly string[]
}

interface Segment {
  readonly type: number
  readonly offset: number
  readonly address: number
  readonly size: number
}

const types = { load: 1, dynamic: 2, interpreter: 3 } as const
const tags = { needed: 1, strings: 5, stringsSize: 10 } as const

const readAt = async (file: FileHandle, offset: number, size: number): Promise<Buffer> => {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(size), 0, size, offset)
  return buffer.subarray(0, bytesRead)
}

const readSegments = async (file: FileHandle, header: Buffer): Promise<Segment[]> => {
  const [size, count] = [header.readUInt16LE(54), header.readUInt16LE(56)]
  const table = await readAt(file, Number(header.readBigUInt64LE(32)), size * count)
  return Array.from({ length: count }, (_, index) => {
    const row = table.subarray(index * size)
    const number = (at: number): number => Number(row.readBigUInt64LE(at))
    return { type: row.readUInt32LE(0), offset: number(8), address: number(16), size: number(32) }
  })
}

const textAt = (buffer: Buffer, offset: number): string => buffer.toString('utf8', offset, buffer.indexOf(0, offset))

const readNeeded = async (file: FileHandle, segments: readonly Segment[]): Promise<string[]> => {
  const dynamic = segments.find(({ type }) => type === types.dynamic)
  if (dynamic === undefined) return []
  const table = await readAt(file, dynamic.offset, dynamic.size)
  const rows = Array.from({ length: Math.floor(table.length / 16) }, (_, index) => ({
    tag: Number(table.readBigInt64LE(index * 16)),
    value: Number(table.readBigUInt64LE(index * 16 + 8)),
  }))
  const valueOf = (wanted: number): number => rows.find(({ tag }) => tag === wanted)?.value ?? 0
  const address = valueOf(tags.strings)
  const holder = segments.find((one) => one.type === types.load && one.address <= address && address < one.address + one.size)
  if (holder === undefined) return []
  const strings = await readAt(file, holder.offset + address - holder.address, valueOf(tags.stringsSize))
  return rows.filter(({ tag }) => tag === tags.needed).map(({ value }) => textAt(strings, value))
}

/** Null where the file is no program. */
export const readElf = async (path: string): Promise<Elf | null> => {
  const file = await open(path)
  try {
    const header = await readAt(file, 0, 64)
    if (header.length < 64 || header.toString('latin1', 0, 4) !== '\u{7f}ELF') return null
    if (header[4] !== 2 || header[5] !== 1) throw new TypeError(`${path}: expected a program of 64 bits, little endian`)
    const segments = await readSegments(file, header)
    const place = segments.find(({ type }) => type === types.interpreter)
    const interpreter = place === undefined ? null : textAt(await readAt(file, place.offset, place.size), 0)
    return { machine: header.readUInt16LE(18), interpreter, needed: await readNeeded(file, segments) }
  } finally {
    await file.close()
  }
}
