// The navigation of the site, read from the index of the documentation: its sections, and the pages that each names, in its order.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

export interface Section {
  readonly text: string
  readonly items: readonly { readonly text: string; readonly link: string }[]
}

const sections = ['Tutorials', 'How-to guides', 'Reference', 'Explanation']

const readTitle = (root: string, path: string): string => {
  const [, title] = /^# (.+)$/m.exec(readFileSync(join(root, 'docs', path), 'utf8')) ?? []
  if (title === undefined) throw new Error(`docs/${path}: expected a title, a line that begins with "# "`)
  return title.replaceAll('`', '')
}

const readSection = (root: string, text: string, body: string): Section => {
  const paths = [...body.matchAll(/\]\(([\w/-]+\.md)\)/g)].map(([, path = '']) => path)
  return {
    text,
    items: [...new Set(paths)].map((path) => ({ text: readTitle(root, path), link: `/${path.replace(/(?:README)?\.md$/, '')}` })),
  }
}

export const readSidebar = (root: string): Section[] => {
  const index = readFileSync(join(root, 'docs/README.md'), 'utf8')
  return sections.map((text) => {
    const [, body] = new RegExp(`^## ${text}\\n(.*?)(?=^## )`, 'ms').exec(index) ?? []
    if (body === undefined) throw new Error(`docs/README.md: section "${text}" not found`)
    return readSection(root, text, body)
  })
}
