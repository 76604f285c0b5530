// Removes a directory of the host's own with all that is below it, however deep an agent went: no path grows longer than a few names.
import { randomBytes } from 'node:crypto'
import { chmod, readdir, rename, rmdir, unlink } from 'node:fs/promises'

/** A name may be no text. */
const below = (directory: string, name: Buffer): Buffer => Buffer.concat([Buffer.from(`${directory}/`), name])

/** What lies deeper comes up, each under a name of ours, until nothing is left. Nobody may use it any more; no link is followed. */
export const removeTree = async (top: string): Promise<void> => {
  const own = `${top}/.${randomBytes(6).toString('hex')}`
  const waiting: string[] = []
  let count = 0
  for (let directory: string | undefined = top; directory !== undefined; directory = waiting.pop()) {
    for (const entry of await readdir(directory, { withFileTypes: true, encoding: 'buffer' })) {
      const path = below(directory, entry.name)
      if (!entry.isDirectory()) {
        await unlink(path)
        continue
      }
      const next = `${own}.${(count += 1)}`
      // Only who may write to a directory may move it elsewhere.
      await chmod(path, 0o700)
      await rename(path, next)
      waiting.push(next)
    }
    if (directory !== top) await rmdir(directory)
  }
  await rmdir(top)
}
