// Which running unit this is. Two copies of a state directory have the same installation id and may run at the same time, so everything
// that a unit makes outside of its state directory carries an id of the installation and of the directory that the unit holds the lock of.
import { statSync } from 'node:fs'
import { sha256 } from '../canonical/canonical.ts'

const length = 32

/** A bind mount of the directory has the same id, and a renamed directory keeps it. The caller holds the lock of the directory. */
export const getUnitId = (stateDir: string, installation: string): string => {
  const { dev, ino } = statSync(stateDir, { bigint: true })
  return sha256(`${installation}:${dev}:${ino}`).slice(0, length)
}

/** Short, since socket paths are. */
export const getRunDirectoryName = (unitId: string): string => unitId.slice(0, 8)
