// Two programs for people who work in a checkout, `dist/bin/gatehouse` and `dist/bin/svcctl`: the bundles, run by the pinned Node.
import { mkdir, writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { dist, launchers } from './targets.ts'

/** Found through a link to it, too. A folder that was moved alone, without its checkout, has no Node. */
const scriptOf = (program: string, node: string): string =>
  ['#!/bin/sh', 'here=$(dirname "$(readlink -f "$0")")', `exec "$here/${node}" "$here/../${program}" "$@"`, ''].join('\n')

export const writeLaunchers = async (): Promise<void> => {
  const folder = join(dist, 'bin')
  await mkdir(folder, { recursive: true })
  const node = relative(folder, process.execPath)
  for (const { output, program } of launchers) await writeFile(join(dist, output), scriptOf(program, node), { mode: 0o755 })
}
