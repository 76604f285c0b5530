// The programs of util-linux and coreutils that a stage is made with.
import { findProgram } from '@gatehouse/kernel'
import type { StagePrograms } from './open.ts'

/** Null where one is not there. */
export const findStagePrograms = async (): Promise<StagePrograms | null> => {
  const find = findProgram
  const [unshare, nsenter, mount, cat, setpriv] = await Promise.all([
    find('unshare'),
    find('nsenter'),
    find('mount'),
    find('cat'),
    find('setpriv'),
  ])
  if (unshare === null || nsenter === null || mount === null || cat === null || setpriv === null) return null
  return { unshare, nsenter, mount, cat, setpriv }
}
