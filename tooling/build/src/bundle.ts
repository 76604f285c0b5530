// Bundles each target to one file, and to a second one where a part is loaded late. The SQLCipher addon lies beside the bundles, since native code cannot be inside one.
import { existsSync } from 'node:fs'
import { copyFile, mkdir, realpath } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { build, type Plugin } from 'rolldown'
import { type Bundled, modulesOf } from './contents.ts'
import { dist, root, type Target } from './targets.ts'

const addon = 'node_sqlite3.node'

/** The package looks for its addon beside itself; a bundle looks in `dist`. @param folder the way there from the bundle */
export const addonInDist = (folder: string): Plugin => ({
  name: 'addon-in-dist',
  load: {
    filter: { id: /sqlite3-binding\.js$/ },
    handler: () => ({
      code: [
        `import { createRequire } from 'node:module'`,
        `const addon = createRequire(import.meta.url)('${folder}/${addon}')`,
        `export { addon as 'module.exports' }`,
      ].join('\n'),
      moduleType: 'js',
    }),
  },
})

/** The AI SDK falls back to a gateway of its maker for models that are named by a string alone. In a sandbox there is none. */
const withoutGateway: Plugin = {
  name: 'without-gateway',
  load: {
    filter: { id: /@ai-sdk[\\/]gateway[\\/]dist[\\/]index\.js$/ },
    handler: () => ({
      code: [
        `const none = () => { throw new Error('there is no gateway in a sandbox') }`,
        `export class GatewayError extends Error { static isInstance() { return false } }`,
        `export class GatewayAuthenticationError extends GatewayError {}`,
        `export const gateway = none, createGateway = () => none`,
      ].join('\n'),
      moduleType: 'js',
    }),
  },
}

/** Into `dist`, unless another folder is named. */
export const bundle = async (target: Target, folder = dist): Promise<Bundled> => {
  const built = await build({
    input: join(root, target.entry),
    platform: 'node',
    plugins: [addonInDist('.'), withoutGateway],
    logLevel: 'warn',
    output: {
      ...(target.late === undefined
        ? { file: join(folder, target.output), codeSplitting: false }
        : { dir: folder, entryFileNames: target.output, chunkFileNames: target.late }),
      format: 'esm',
      minify: target.minify,
      comments: false,
    },
  })
  return { program: target.output, modules: modulesOf(built.output) }
}

const addonSource = async (): Promise<string> => {
  const require = createRequire(join(root, 'packages/store/package.json'))
  return join(dirname(await realpath(require.resolve('@journeyapps/sqlcipher/package.json'))), 'build/Release', addon)
}

export const copyAddon = async (): Promise<void> => {
  await mkdir(dist, { recursive: true })
  await copyFile(await addonSource(), join(dist, addon))
}

/** For svcctl, which does without it: then it says that it could not read the database. */
export const copyAddonIfBuilt = async (): Promise<void> => {
  if (existsSync(await addonSource())) await copyAddon()
}
