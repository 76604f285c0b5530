// Reads a package's tarball in memory: plain files alone, below one directory. A link, a device or a path that leads out refuses it.
import { limits } from '@gatehouse/contracts'
import { Parser, type ReadEntry } from 'tar'
import { TreeRefused } from './task.ts'

export interface ArchivedFile {
  /** Below the package, without a leading slash. */
  readonly path: string
  readonly content: Buffer
}

const kinds: readonly string[] = ['File', 'OldFile', 'ContiguousFile']
const longestPath = 1024

/** The first directory of a tarball has any name. */
const pathIn = (entry: ReadEntry): string => {
  const path = entry.path.replaceAll('\\', '/')
  const [, ...parts] = path.split('/')
  const bad = parts.length === 0 || parts.some((part) => part === '' || part === '.' || part === '..' || part.includes('\0'))
  if (bad || path.startsWith('/') || path.length > longestPath) {
    throw new TreeRefused('bad-archive', `expected paths below one directory, got ${JSON.stringify(entry.path.slice(0, 200))}`)
  }
  return parts.join('/')
}

interface Reading {
  readonly files: ArchivedFile[]
  bytes: number
}

const refuseMore = ({ files, bytes }: Reading): void => {
  if (bytes > limits.treeBytes || files.length >= limits.treeFiles) {
    throw new TreeRefused('too-large', `expected at most ${limits.treeBytes} bytes in ${limits.treeFiles} files`)
  }
}

const take = (reading: Reading, entry: ReadEntry): void => {
  if (entry.type === 'Directory' || entry.type === 'GNUDumpDir') {
    entry.resume()
    return
  }
  if (!kinds.includes(entry.type)) {
    throw new TreeRefused('bad-archive', `expected files alone, got ${JSON.stringify(entry.path.slice(0, 200))} of the kind ${entry.type}`)
  }
  const path = pathIn(entry)
  reading.bytes += entry.size
  refuseMore(reading)
  const chunks: Buffer[] = []
  entry.on('data', (chunk) => void chunks.push(chunk))
  entry.on('end', () => void reading.files.push({ path, content: Buffer.concat(chunks) }))
}

/** In the order of the tarball; a path that comes twice means the last one. */
export const readArchive = async (tarball: Buffer): Promise<readonly ArchivedFile[]> => {
  const reading: Reading = { files: [], bytes: 0 }
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const parser = new Parser({
    strict: true,
    onReadEntry: (entry) => {
      try {
        take(reading, entry)
      } catch (error) {
        reject(error)
        entry.resume()
      }
    },
  })
  parser.on('end', resolve)
  parser.on('error', (error: unknown) => reject(new TreeRefused('bad-archive', `expected a gzipped tar archive: ${String(error)}`, error)))
  parser.end(tarball)
  await promise
  return reading.files
}
