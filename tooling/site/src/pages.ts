// The pages of the site: docs, with the README as the first page. Links to files that are not part of it become plain text.
import { cpSync, existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'

/** Pages of the repository by another name in the site, where `index` is what a folder shows. */
const renamed: Readonly<Record<string, string>> = {
  'README.md': 'index.md',
  'SECURITY.md': 'security.md',
  'docs/README.md': 'documentation.md',
  'docs/adr/README.md': 'adr/index.md',
  'docs/assets/screens/README.md': 'assets/screens/index.md',
}

/** The path in the site of a file of the repository. */
const pathInSite = (path: string): string | undefined =>
  renamed[path] ?? (path.startsWith('docs/') ? path.slice('docs/'.length) : undefined)

const isElsewhere = (target: string): boolean => /^(?:[a-z][a-z0-9+.-]*:|#)/i.test(target)

interface Place {
  readonly root: string
  /** Of the page that has the link, in the repository. */
  readonly from: string
}

/** What the site calls the target of a link; undefined for what is not in it. */
const targetInSite = ({ root, from }: Place, target: string): string | undefined => {
  if (isElsewhere(target)) return target
  const [file = '', anchor] = target.split('#')
  const path = join(dirname(from), decodeURIComponent(file))
  const there = pathInSite(path)
  const here = pathInSite(from)
  if (there === undefined || here === undefined || !existsSync(join(root, path))) return undefined
  const link = relative(dirname(here), there)
  return `${link.startsWith('.') ? link : `./${link}`}${anchor === undefined ? '' : `#${anchor}`}`
}

/** Code is left as it is. */
const rewriteLinks = (page: string, place: Place): string =>
  page
    .replaceAll(/(```.*?^\s*```|`[^`\n]*`)|\[([^\]]*)\]\(([^)\s]+)\)/gms, (whole, ...parts: (string | undefined)[]) => {
      const [code, label = '', target = ''] = parts
      if (code !== undefined) return whole
      const link = targetInSite(place, target)
      return link === undefined ? label : `[${label}](${link})`
    })
    .replaceAll(
      /(<(?:img|source)\b[^>]*?\ssrc(?:set)?=")([^"]+)"/g,
      (_, before: string, target: string) => `${before}${targetInSite(place, target) ?? target}"`,
    )

const pagesOf = (root: string): string[] => ['README.md', 'SECURITY.md', ...globSync('docs/**/*.md', { cwd: root })]

/** Writes the pages, the pictures beside them, and below `public` what else they link to. */
export const assemblePages = (root: string, out: string): void => {
  for (const path of globSync('docs/**/*.{json,txt,png,svg}', { cwd: root })) {
    const isPicture = /\.(?:png|svg)$/.test(path)
    cpSync(join(root, path), join(out, isPicture ? '' : 'public', path.slice('docs/'.length)))
  }
  for (const path of pagesOf(root)) {
    const file = join(out, pathInSite(path) ?? path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, rewriteLinks(readFileSync(join(root, path), 'utf8'), { root, from: path }))
  }
}
