// No file of code is longer than 300 lines.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Check, fromFindings } from './check.ts'
import { isGenerated, sourceFiles } from './sources.ts'

const most = 300

const lineCount = (text: string): number => text.split('\n').length - (text.endsWith('\n') ? 1 : 0)

export const sizes: Check = {
  name: 'sizes',
  async run({ root }) {
    const findings = sourceFiles(root)
      .filter((path) => !isGenerated(path))
      .map((path) => ({ path, lines: lineCount(readFileSync(join(root, path), 'utf8')) }))
      .filter(({ lines }) => lines > most)
      .map(({ path, lines }) => `${path}: ${lines} lines, at most ${most}; split it by act`)
    return fromFindings(findings)
  },
}
