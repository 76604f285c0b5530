// Builds the web console to static files.
import { join } from 'node:path'
import { build } from 'vite'
import { dist, root } from './targets.ts'

export const buildConsole = async (): Promise<void> => {
  const folder = join(root, 'apps/console')
  await build({
    root: folder,
    configFile: join(folder, 'vite.config.ts'),
    logLevel: 'warn',
    build: { outDir: join(dist, 'console'), emptyOutDir: true },
  })
}
