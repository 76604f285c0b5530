// Bundles svcctl to a folder that oclif takes for an installed program: one small file a command, plugins below node_modules, a manifest.
import { copyFile, glob, readFile, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { basename, dirname, join } from 'node:path'
import { build } from 'rolldown'
import { addonInDist } from './bundle.ts'
import { type Bundled, modulesOf } from './contents.ts'
import { manifestOf, packageOf } from './svcctl-package.ts'
import { dist, root } from './targets.ts'

const app = join(root, 'apps/svcctl')

/** Entries by their name below the folder. */
const entriesBelow = async (source: string, target: string): Promise<[string, string][]> => {
  const entries: [string, string][] = []
  for await (const file of glob('**/*.{js,ts}', { cwd: source, exclude: ['**/*.d.ts'] })) {
    entries.push([join(target, dirname(file), basename(file).replace(/\.[jt]s$/, '')), join(source, file)])
  }
  return entries
}

interface OclifPlugin {
  readonly source: string
  readonly target: string
}

const locate = (name: string): OclifPlugin => {
  const main = createRequire(join(app, 'package.json')).resolve(name)
  return { source: join(dirname(main), '..'), target: join('node_modules', name) }
}

const entriesOf = async (plugins: readonly OclifPlugin[]): Promise<Record<string, string>> => {
  const lists = await Promise.all([
    entriesBelow(join(app, 'src/commands'), 'commands'),
    ...plugins.map(({ source, target }) => entriesBelow(join(source, 'lib'), join(target, 'lib'))),
  ])
  return Object.fromEntries([['svcctl', join(app, 'bin/run.ts')], ['not-found', join(app, 'src/not-found.ts')], ...lists.flat()])
}

interface Options {
  readonly clean: boolean
  readonly folder?: string
}

/** Files of older builds stay until `clean`: a command that runs meanwhile may still load one. */
export const bundleSvcctl = async ({ clean, folder = join(dist, 'svcctl') }: Options): Promise<Bundled> => {
  if (clean) await rm(folder, { recursive: true, force: true })
  const manifest = packageOf(await readFile(join(app, 'package.json'), 'utf8'))
  const plugins = manifest.oclif.plugins.map(locate)
  const built = await build({
    input: await entriesOf(plugins),
    platform: 'node',
    plugins: [addonInDist('..')],
    logLevel: 'warn',
    output: {
      dir: folder,
      format: 'esm',
      entryFileNames: ({ name }) => (name === 'svcctl' ? '[name].mjs' : '[name].js'),
      chunkFileNames: '[name]-[hash].mjs',
      comments: false,
    },
  })
  for (const { source, target } of plugins) {
    for (const file of ['package.json', 'oclif.manifest.json']) await copyFile(join(source, file), join(folder, target, file))
  }
  await writeFile(join(folder, 'package.json'), JSON.stringify(manifest))
  await writeFile(join(folder, 'oclif.manifest.json'), await manifestOf(folder))
  return { program: 'svcctl', modules: modulesOf(built.output) }
}
