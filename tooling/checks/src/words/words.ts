// Plain English where people read: pages, and the texts of shipped programs. Comments and names are left to reviewers.
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { readModules } from '../boundaries/modules.ts'
import { type Check, fromFindings } from '../check.ts'
import { readExemptions, withExemptions } from '../exemptions.ts'
import { type Passage, passagesOfModule, passagesOfPage } from './passages.ts'
import { patterns } from './patterns.ts'

const pages = ['*.md', 'docs/**/*.md', 'charts/**/*.md', 'compose/**/*.md', 'deploy/**/*.md', '.changeset/*.md']

const isShipped = (path: string): boolean => /^(packages|apps)\/[^/]+\/src\//.test(path)

/** What can be exempt: a page, or the package of a source file. */
const subjectOf = (path: string): string => (path.endsWith('.md') ? path : path.split('/').slice(0, 2).join('/'))

const findingsIn = ({ path, line, text }: Passage): { readonly subject: string; readonly finding: string }[] =>
  patterns.flatMap(({ pattern, instead }) => {
    const match = pattern.exec(text)
    return match === null ? [] : [{ subject: subjectOf(path), finding: `${path}:${line}: "${match[0].trim()}": write ${instead}` }]
  })

export const words: Check = {
  name: 'words',
  async run({ root }) {
    const modules = (await readModules(root)).filter(({ path }) => isShipped(path))
    const prose = globSync(pages, { cwd: root })
      .toSorted()
      .map((path) => passagesOfPage(path, readFileSync(join(root, path), 'utf8')))
    const findings = [...prose.flat(), ...modules.flatMap(passagesOfModule)].flatMap(findingsIn)
    return fromFindings(withExemptions(findings, readExemptions(root, 'words')))
  },
}
