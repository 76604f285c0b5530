// Where a unit keeps its sockets, found by its installation id.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { stateFiles } from '@gatehouse/contracts'

export const runDirectoryOf = async ({ stateDir }: { readonly stateDir: string }): Promise<string> => {
  const { installation } = JSON.parse(await readFile(join(stateDir, stateFiles.state), 'utf8')) as { installation: string }
  const own = process.env['XDG_RUNTIME_DIR']
  const base =
    process.getuid?.() === 0 ? '/run/gatehouse' : own === undefined ? `/tmp/gatehouse-${process.getuid?.() ?? 0}` : join(own, 'gatehouse')
  return join(base, installation.slice(0, 8))
}
