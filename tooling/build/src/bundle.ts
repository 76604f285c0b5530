// Bundles each target to one file. The SQLCipher addon lies beside the bundles, since native code cannot be inside one.
import { copyFile, mkdir, realpath } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { build, type Plugin } from 'rolldown'
import { dist, root, type Target } from './targets.ts'

const addon = 'node_sqlite3.node'

/** The package looks for its addon beside itself; the bundle looks beside the bundle. */
const addonBesideBundle: Plugin = {
  name: 'addon-beside-bundle',
  load: {
    filter: { id: /sqlite3-binding\.js$/ },
    handler: () => ({
      code: [
        `import { createRequire } from 'node:module'`,
        `const addon = createRequire(import.meta.url)('./${addon}')`,
        `export { addon as 'module.exports' }`,
      ].join('\n'),
      moduleType: 'js',
    }),
  },
}

export const bundle = async (target: Target): Promise<void> => {
  await build({
    input: join(root, target.entry),
    platform: 'node',
    plugins: [addonBesideBundle],
    logLevel: 'warn',
    output: { file: join(dist, target.output), format: 'esm', codeSplitting: false, minify: target.minify, comments: false },
  })
}

export const copyAddon = async (): Promise<void> => {
  const require = createRequire(join(root, 'packages/store/package.json'))
  const folder = dirname(await realpath(require.resolve('@journeyapps/sqlcipher/package.json')))
  await mkdir(dist, { recursive: true })
  await copyFile(join(folder, 'build/Release', addon), join(dist, addon))
}
