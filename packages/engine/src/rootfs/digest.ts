// The digest of a directory: over names, kinds, modes and contents, never over times or owners.
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'

/** Lower-case hex SHA-256. */
export const hashFile = async (path: string): Promise<string> => {
  const hash = createHash('sha256')
  await pipeline(createReadStream(path, { highWaterMark: 1024 * 1024 }), hash)
  return hash.digest('hex')
}

/** Lower-case hex SHA-256. Expects directories and regular files alone. */
export const digestDirectory = async (root: string): Promise<string> => {
  const hash = createHash('sha256')
  const names = (await readdir(root, { recursive: true })).toSorted()
  for (const name of names) {
    const path = join(root, name)
    const stat = await lstat(path)
    if (!stat.isFile() && !stat.isDirectory()) throw new TypeError(`expected files and directories alone in ${root}, got ${name}`)
    const content = stat.isFile() ? await hashFile(path) : 'directory'
    hash.update(`${JSON.stringify(name)} ${(stat.mode & 0o7777).toString(8)} ${content}\n`)
  }
  return hash.digest('hex')
}
