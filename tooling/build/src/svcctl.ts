// Bundles svcctl to a folder: one small file a command, so that a start reads that one alone.
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { build, type Plugin } from 'rolldown'
import { dist, root } from './targets.ts'

/** Parts of oclif that nothing here calls, and that load most of it. */
const unused: Plugin = {
  name: 'unused-parts-of-oclif',
  load: {
    filter: { id: /@oclif\/core\/lib\/(errors\/handle|help\/index|ux\/index)\.js$/ },
    handler: () => ({ code: 'module.exports = {}', moduleType: 'js' }),
  },
}

/** Files of older builds stay until `clean`: a command that runs meanwhile may still load one. */
export const bundleSvcctl = async ({ clean }: { readonly clean: boolean }): Promise<void> => {
  const folder = join(dist, 'svcctl')
  if (clean) await rm(folder, { recursive: true, force: true })
  await build({
    input: { svcctl: join(root, 'apps/svcctl/bin/run.ts') },
    platform: 'node',
    plugins: [unused],
    logLevel: 'warn',
    output: { dir: folder, format: 'esm', entryFileNames: '[name].mjs', chunkFileNames: '[name]-[hash].mjs', comments: false },
  })
}
