// A file for a secret that nobody has yet: made before the secret is, so that none is minted in vain.
import { randomBytes } from 'node:crypto'
import { open, rename, rm, stat } from 'node:fs/promises'
import { ServiceError } from '@gatehouse/contracts'
import { quoted } from '../doctor/check.ts'

export interface SecretFile {
  readonly write: (secret: string) => Promise<void>
  /** Takes away what was made and never filled. */
  readonly discard: () => Promise<void>
}

/** The file itself, or one beside it where another secret may stand, which is good until the new one is there. */
const placeOf = async (path: string, force: boolean): Promise<string> => {
  if (!force) return path
  const found = await stat(path).catch(() => undefined)
  if (found?.isDirectory() === true) throw new Error(`${path} is a directory`)
  return `${path}.${randomBytes(4).toString('hex')}.part`
}

const move = async (place: string, path: string): Promise<void> => {
  if (place === path) return
  await rename(place, path).catch((cause: unknown) => {
    const detail = `expected to write over ${path}, it cannot be; the new secret stands in ${place}`
    throw new ServiceError('invalid', { detail, hint: `mv ${quoted(place)} ${quoted(path)}`, cause })
  })
}

/** Throws `conflict` where there is a file, unless it may be written over. */
export const openSecretFile = async (path: string, force: boolean): Promise<SecretFile> => {
  try {
    const place = await placeOf(path, force)
    const file = await open(place, 'wx', 0o600)
    let isFilled = false
    return {
      write: async (secret) => {
        await file.writeFile(`${secret}\n`)
        await file.sync()
        isFilled = true
        await file.close()
        await move(place, path)
      },
      discard: async () => {
        await file.close().catch(() => undefined)
        if (!isFilled) await rm(place, { force: true })
      },
    }
  } catch (error) {
    const there = error instanceof Error && 'code' in error && error.code === 'EEXIST'
    throw new ServiceError(there ? 'conflict' : 'invalid', {
      detail: there ? `expected no file at ${path}, there is one` : `expected a place where a file can be made, ${path} is none`,
      hint: there ? 'choose another --file, or add --force' : 'choose another --file',
      cause: error,
    })
  }
}
