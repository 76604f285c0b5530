// Writes a backup to a file that exists only when it is complete, and reads the passphrase.
import { randomBytes } from 'node:crypto'
import { link, open, readFile, rename, rm } from 'node:fs/promises'
import { ServiceError } from '@gatehouse/contracts'

export interface DownloadOptions {
  readonly path: string
  readonly force: boolean
}

/** Throws `conflict` where there is a file already. Gives the bytes written. */
export const downloadBackup = async (body: AsyncIterable<Uint8Array>, { path, force }: DownloadOptions): Promise<number> => {
  const partial = `${path}.${randomBytes(4).toString('hex')}.partial`
  const file = await open(partial, 'wx', 0o600).catch((error: unknown) => {
    throw toFailure(error, path)
  })
  let bytes = 0
  try {
    for await (const chunk of body) {
      await file.writeFile(chunk)
      bytes += chunk.length
    }
    await file.sync()
    if (force) await rename(partial, path)
    else await link(partial, path)
    return bytes
  } catch (error) {
    throw toFailure(error, path)
  } finally {
    await file.close()
    await rm(partial, { force: true })
  }
}

const noPlace: ReadonlySet<string> = new Set(['ENOENT', 'ENOTDIR', 'EACCES', 'EPERM', 'EROFS', 'EISDIR'])
const noRoom: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT', 'EFBIG'])
const cut: ReadonlySet<string> = new Set(['ECONNRESET', 'ABORT_ERR'])

const codeOf = (error: unknown): string => (error instanceof Error && 'code' in error ? String(error.code) : '')

const toFailure = (cause: unknown, path: string): unknown => {
  const code = codeOf(cause)
  if (code === 'EEXIST')
    return new ServiceError('conflict', { detail: `${path} is there already`, hint: 'name another file with --out, or add --force' })
  if (noPlace.has(code))
    return new ServiceError('invalid', {
      detail: `expected a place where a file can be made, ${path} is none (${code})`,
      hint: 'name another file with --out',
      cause,
    })
  if (noRoom.has(code))
    return new ServiceError('unavailable', {
      detail: `the disk of ${path} is full; nothing was kept, and the unit goes on`,
      hint: 'make room there, or name a file on another disk with --out; then take the backup again',
      cause,
    })
  if (cut.has(code))
    return new ServiceError('unavailable', {
      detail: 'the unit ended the backup before it was whole; nothing was kept',
      hint: 'read why: the log of the unit',
      cause,
    })
  return cause
}

/** The first line of the file. */
export const readPassphrase = async (path: string): Promise<string> => {
  const text = await readFile(path, 'utf8').catch((cause: unknown) => {
    throw new ServiceError('not-found', { detail: `${path}: expected a file with the passphrase`, cause })
  })
  const [line = ''] = text.split('\n')
  if (line.trim() !== '') return line.trim()
  throw new ServiceError('invalid', { detail: `${path}: expected the passphrase on the first line, got an empty one` })
}
