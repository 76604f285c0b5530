// No code file is longer than 300 lines. Prints the median and the 90th percentile of the shipped sources, which should be near 75 and 165.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Check, fromFindings } from './check.ts'
import { isGenerated, sourceFiles } from './sources.ts'

const maxLines = 300

const countLines = (text: string): number => text.split('\n').length - (text.endsWith('\n') ? 1 : 0)

const isShipped = (path: string): boolean => /^(packages|apps)\/[^/]+\/src\//.test(path)

const percentile = (sorted: readonly number[], share: number): number => sorted[Math.floor((sorted.length - 1) * share)] ?? 0

export const sizes: Check = {
  name: 'sizes',
  async run({ root }) {
    const files = sourceFiles(root)
      .filter((path) => !isGenerated(path))
      .map((path) => ({ path, lines: countLines(readFileSync(join(root, path), 'utf8')) }))
    const findings = files
      .filter(({ lines }) => lines > maxLines)
      .map(({ path, lines }) => `${path}: ${lines} lines, maximum ${maxLines}; split it by concept`)
    const shipped = files.filter(({ path }) => isShipped(path)).map(({ lines }) => lines)
    const sorted = shipped.toSorted((a, b) => a - b)
    const figures = `${sorted.length} files, median ${percentile(sorted, 0.5)} lines, p90 ${percentile(sorted, 0.9)}`
    return { ...fromFindings(findings), figures }
  },
}
