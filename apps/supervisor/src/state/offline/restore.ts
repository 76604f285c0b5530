// Restores an archive where no unit runs.
import { type Checked, readIdentities, restore } from '@gatehouse/archive'

export interface RestoreUnitOptions {
  readonly file: string
  readonly stateDir: string
  readonly masterKeyFile: string | null
  readonly identityFiles: readonly string[]
  readonly passphrase: string | undefined
}

export const restoreUnit = async ({ identityFiles, passphrase, ...where }: RestoreUnitOptions): Promise<Checked> => {
  const identities = (await Promise.all(identityFiles.map((path) => readIdentities(path)))).flat()
  return restore({ ...where, opener: { identities, passphrase } })
}
