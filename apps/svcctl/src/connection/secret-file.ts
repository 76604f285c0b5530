// A file for a secret that nobody has yet: made before the secret is, so that none is minted in vain.
import { open, rm } from 'node:fs/promises'
import { ServiceError } from '@gatehouse/contracts'

export interface SecretFile {
  readonly write: (secret: string) => Promise<void>
  /** Takes away what was made and never filled. */
  readonly discard: () => Promise<void>
}

/** Throws `conflict` where there is a file, unless it may be written over. */
export const openSecretFile = async (path: string, force: boolean): Promise<SecretFile> => {
  try {
    if (force) await rm(path, { force: true })
    const file = await open(path, 'wx', 0o600)
    return {
      write: async (secret) => {
        await file.writeFile(`${secret}\n`)
        await file.sync()
        await file.close()
      },
      discard: async () => {
        await file.close().catch(() => undefined)
        await rm(path, { force: true })
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
