// The files that a unit keeps, as they are at the moment: what goes while one looks is passed over.
import { glob, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'

export interface StateFile {
  /** Below the state directory. */
  readonly path: string
  readonly bytes: Buffer
}

const missing = (error: unknown): undefined => {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
  throw error
}

/** Files and directories, with their modes. */
export async function* stateEntries({ stateDir }: { readonly stateDir: string }) {
  for await (const path of glob('**/*', { cwd: stateDir })) {
    const found = await stat(join(stateDir, path)).catch(missing)
    if (found !== undefined) yield { path, found }
  }
}

export async function* stateFiles(unit: { readonly stateDir: string }): AsyncGenerator<StateFile> {
  for await (const { path, found } of stateEntries(unit)) {
    const bytes = found.isFile() ? await readFile(join(unit.stateDir, path)).catch(missing) : undefined
    if (bytes !== undefined) yield { path, bytes }
  }
}
