// The bytes of a file, exactly as many as were promised: what was cut meanwhile is filled with zeros.
import type { FileHandle } from 'node:fs/promises'

const chunk = 256 * 1024

export interface Promised {
  readonly size: number
  /** Told when the file gave less. */
  readonly short: () => void
}

/** Closes the handle at the end. */
export async function* bodyOf(file: FileHandle, { size, short }: Promised): AsyncGenerator<Uint8Array> {
  try {
    let position = 0
    while (position < size) {
      const buffer = Buffer.allocUnsafe(Math.min(chunk, size - position))
      const { bytesRead } = await file.read(buffer, 0, buffer.length, position)
      if (bytesRead === 0) break
      position += bytesRead
      yield buffer.subarray(0, bytesRead)
    }
    if (position < size) short()
    for (; position < size; position += chunk) yield Buffer.alloc(Math.min(chunk, size - position))
  } finally {
    await file.close()
  }
}
