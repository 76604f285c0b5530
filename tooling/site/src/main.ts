// `pnpm site`: builds the documentation as a static site with search into dist/site.
import { join } from 'node:path'
import { buildSite } from './build.ts'

const root = join(import.meta.dirname, '../../..')
const out = join(root, 'dist/site')
await buildSite(root, out)
process.stdout.write(`The site is in ${out}. Serve it with any static file server.\n`)
