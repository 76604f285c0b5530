// The small first process of a container, which ends its orphans. Podman brings none along.
import { findProgram } from '@gatehouse/kernel'
import type { Engine } from '../container/engine.ts'
import { access, constants } from 'node:fs/promises'

/** Linked statically: it is mounted into images that have no loader. */
const packaged = '/usr/libexec/podman/catatonit'
const candidates = ['catatonit', 'docker-init', 'tini-static'] as const

const isThere = (path: string): Promise<boolean> =>
  access(path, constants.X_OK).then(
    () => true,
    () => false,
  )

/** Arguments that turn it on; a reason where the engine has none. */
export const initArguments = async ({ name }: Pick<Engine, 'name'>): Promise<string[] | { readonly refused: string }> => {
  if (name !== 'podman' || (await isThere(packaged))) return ['--init']
  for (const candidate of candidates) {
    const path = await findProgram(candidate)
    if (path !== null) return ['--init', '--init-path', path]
  }
  return { refused: 'podman finds no first process for containers: apt-get install catatonit' }
}
