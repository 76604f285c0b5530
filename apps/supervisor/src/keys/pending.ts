// Where the keyring of a rotation lies until the rotation is done.
import { access } from 'node:fs/promises'
import { join } from 'node:path'
import { exits, stateFiles } from '@gatehouse/contracts'
import { Refusal } from '@gatehouse/kernel'

export const keyringPath = (stateDir: string, external: string | null): string => external ?? join(stateDir, stateFiles.keyring)

export const pendingKeyring = (stateDir: string, external: string | null): string => `${keyringPath(stateDir, external)}.next`

/** Some files are sealed under the old key and some under the new. */
export const refuseHalfRotated = async (stateDir: string, external: string | null): Promise<void> => {
  const path = pendingKeyring(stateDir, external)
  const isThere = await access(path).then(
    () => true,
    () => false,
  )
  if (!isThere) return
  throw new Refusal(exits.configuration, {
    detail: `${path}: expected one master key, got a rotation that was interrupted`,
    hint: `finish it: gatehouse keys rotate --state-dir ${stateDir}`,
  })
}
