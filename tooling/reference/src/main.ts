// Writes docs/reference, and the drawn pictures of docs/assets.
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pages } from './pages.ts'

const folder = join(import.meta.dirname, '../../../docs/reference')
for (const [name, render] of Object.entries(pages)) await writeFile(join(folder, name), await render())
