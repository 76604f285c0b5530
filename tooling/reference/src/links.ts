// Which relative links of a page lead nowhere: to a file that is not there, or to a heading that its page does not have.
import { existsSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { anchorOf } from './anchors.ts'

/** Without code: what stands in it is no link and no heading. */
const prose = (page: string): string =>
  page.replaceAll(/^(`{3,}|~{3,}).*?^\1/gms, '').replaceAll(/`[^`\n]*`/g, (code) => code.replaceAll(/[[\]()]/g, ' '))

const anchorsOf = (page: string): Set<string> => {
  const seen = new Map<string, number>()
  const anchors = new Set<string>()
  for (const [, title = ''] of prose(page).matchAll(/^#{1,6}\s+(.+?)\s*#*$/gm)) {
    const anchor = anchorOf(title)
    const count = seen.get(anchor) ?? 0
    seen.set(anchor, count + 1)
    anchors.add(count === 0 ? anchor : `${anchor}-${count}`)
  }
  return anchors
}

const targetsOf = (page: string): string[] => [
  ...[...prose(page).matchAll(/\]\(<?([^)\s>]+)>?(?:\s+"[^"]*")?\)/g)].map(([, target = '']) => target),
  ...[...prose(page).matchAll(/^\[[^\]]+\]:\s+(\S+)/gm)].map(([, target = '']) => target),
  ...[...prose(page).matchAll(/<(?:img|source)\b[^>]*?\ssrc(?:set)?="([^"]+)"/g)].map(([, target = '']) => target),
]

const isElsewhere = (target: string): boolean => /^[a-z][a-z0-9+.-]*:/i.test(target)

const faultOf = (root: string, path: string, target: string): string | undefined => {
  const [file = '', anchor] = target.split('#')
  const full = file === '' ? join(root, path) : join(root, dirname(path), decodeURIComponent(file))
  if (relative(root, full).startsWith('..')) return 'leads out of the repository'
  if (!existsSync(full)) return 'there is no such file'
  if (anchor === undefined) return undefined
  if (statSync(full).isDirectory() || !full.endsWith('.md')) return undefined
  return anchorsOf(readFileSync(full, 'utf8')).has(anchor) ? undefined : 'the page has no such heading'
}

/** One line for each link of the pages (paths from the root) that leads nowhere. */
export const brokenLinks = (root: string, pages: readonly string[]): string[] =>
  pages.flatMap((path) =>
    targetsOf(readFileSync(join(root, path), 'utf8'))
      .filter((target) => !isElsewhere(target))
      .flatMap((target) => {
        const fault = faultOf(root, path, target)
        return fault === undefined ? [] : [`${path}: ${target}: ${fault}`]
      }),
  )
