// Builds the web console to static files.
import { join } from 'node:path'
import { build } from 'vite'
import { type Bundled, modulesOf } from './contents.ts'
import { dist, root } from './targets.ts'

export const buildConsole = async (): Promise<Bundled> => {
  const folder = join(root, 'apps/console')
  const built = await build({
    root: folder,
    configFile: join(folder, 'vite.config.ts'),
    logLevel: 'warn',
    build: { outDir: join(dist, 'console'), emptyOutDir: true },
  })
  const outputs = Array.isArray(built) ? built : 'output' in built ? [built] : []
  return { program: 'console', modules: outputs.flatMap(({ output }) => modulesOf(output)) }
}
