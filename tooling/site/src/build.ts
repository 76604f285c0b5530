// Assembles the pages in a scratch directory and runs VitePress on them.
import { mkdtemp, mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { build } from 'vitepress'
import { assemblePages } from './pages.ts'
import { readSidebar } from './sidebar.ts'

/** VitePress takes its settings from a file only: one line that calls the function of ours. */
const settingsFile = (root: string): string =>
  [
    `import { createSettings } from ${JSON.stringify(join(import.meta.dirname, 'settings.ts'))}`,
    `export default createSettings(${JSON.stringify(readSidebar(root))})`,
    '',
  ].join('\n')

/** Replaces `out`. Throws if a link of a page leads nowhere. */
export const buildSite = async (root: string, out: string): Promise<void> => {
  await mkdir(join(root, 'dist'), { recursive: true })
  // Below the root, so that imports of VitePress itself are found from there.
  const scratch = await mkdtemp(join(import.meta.dirname, '../.pages-'))
  try {
    assemblePages(root, join(scratch, 'pages'))
    await mkdir(join(scratch, '.vitepress'))
    await writeFile(join(scratch, '.vitepress/config.mjs'), settingsFile(root))
    await build(scratch, { outDir: out })
  } finally {
    await rm(scratch, { recursive: true, force: true })
  }
}
