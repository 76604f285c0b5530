// Takes one file out of a zip archive that lies in memory.
import assert from 'node:assert/strict'
import { crc32, inflateRawSync } from 'node:zlib'

const marks = { end: 0x06054b50, entry: 0x02014b50, file: 0x04034b50 }

const endOf = (archive: Buffer): number => {
  for (let at = archive.length - 22; at >= 0; at -= 1) if (archive.readUInt32LE(at) === marks.end) return at
  throw new Error('expected a zip archive, found no directory in it')
}

const contentOf = (archive: Buffer, entry: number): Buffer => {
  const [method, sum, size] = [archive.readUInt16LE(entry + 10), archive.readUInt32LE(entry + 16), archive.readUInt32LE(entry + 20)]
  const local = archive.readUInt32LE(entry + 42)
  assert.equal(archive.readUInt32LE(local), marks.file)
  const start = local + 30 + archive.readUInt16LE(local + 26) + archive.readUInt16LE(local + 28)
  const packed = archive.subarray(start, start + size)
  const content = method === 0 ? packed : inflateRawSync(packed)
  assert.equal(crc32(content), sum)
  return content
}

export const unzipOne = (archive: Buffer, wanted: string): Buffer => {
  const end = endOf(archive)
  let entry = archive.readUInt32LE(end + 16)
  for (let left = archive.readUInt16LE(end + 10); left > 0; left -= 1) {
    assert.equal(archive.readUInt32LE(entry), marks.entry)
    const [name, extra, comment] = [28, 30, 32].map((offset) => archive.readUInt16LE(entry + offset))
    if (archive.toString('utf8', entry + 46, entry + 46 + (name ?? 0)) === wanted) return contentOf(archive, entry)
    entry += 46 + (name ?? 0) + (extra ?? 0) + (comment ?? 0)
  }
  throw new Error(`expected ${wanted} in the archive, found it not`)
}
