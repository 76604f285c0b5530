// Reads a package tarball in memory. It may contain only regular files below one directory; links, devices and escaping paths are refused.
import { limits } from '@gatehouse/contracts'
import { Parser, type ReadEntry } from 'tar'
import { TreeRefused } from './task.ts'

export interface ArchivedFile {
  /** Path in the package, without a leading slash. */
  readonly path: string
  readonly content: Buffer
}

const kinds: readonly string[] = ['File', 'OldFile', 'ContiguousFile']
const maxPathLength = 1024

/** The name of the first directory of a tarball is ignored. */
const packagePath = (entry: ReadEntry): string => {
  const path = entry.path.replaceAll('\\', '/')
  const [, ...parts] = path.split('/')
  const bad = parts.length === 0 || parts.some((part) => part === '' || part === '.' || part === '..' || part.includes('\0'))
  if (bad || path.startsWith('/') || path.length > maxPathLength) {
    throw new TreeRefused('bad-archive', `invalid path ${JSON.stringify(entry.path.slice(0, 200))}`)
  }
  return parts.join('/')
}

interface Reading {
  readonly files: ArchivedFile[]
  bytes: number
}

const assertWithinLimits = ({ files, bytes }: Reading): void => {
  if (bytes > limits.treeBytes || files.length >= limits.treeFiles) {
    throw new TreeRefused('too-large', `more than ${limits.treeBytes} bytes or ${limits.treeFiles} files`)
  }
}

const readEntry = (reading: Reading, entry: ReadEntry): void => {
  if (entry.type === 'Directory' || entry.type === 'GNUDumpDir') {
    entry.resume()
    return
  }
  if (!kinds.includes(entry.type)) {
    throw new TreeRefused('bad-archive', `${JSON.stringify(entry.path.slice(0, 200))} is of type ${entry.type}; only files are allowed`)
  }
  const path = packagePath(entry)
  reading.bytes += entry.size
  assertWithinLimits(reading)
  const chunks: Buffer[] = []
  entry.on('data', (chunk) => void chunks.push(chunk))
  entry.on('end', () => void reading.files.push({ path, content: Buffer.concat(chunks) }))
}

/** The files in the order of the tarball. If a path occurs twice, the last file counts. */
export const readArchive = async (tarball: Buffer): Promise<readonly ArchivedFile[]> => {
  const reading: Reading = { files: [], bytes: 0 }
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const parser = new Parser({
    strict: true,
    onReadEntry: (entry) => {
      try {
        readEntry(reading, entry)
      } catch (error) {
        reject(error)
        entry.resume()
      }
    },
  })
  parser.on('end', resolve)
  parser.on('error', (error: unknown) => reject(new TreeRefused('bad-archive', `not a gzipped tar archive: ${String(error)}`, error)))
  parser.end(tarball)
  await promise
  return reading.files
}
