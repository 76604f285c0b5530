// The profile of a test file: the default one, which `pnpm test` runs, or the rest, which CI runs as well.
// A file is in the rest where its head comment has a line `// Profile: rest. REASON`.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

export type Profile = 'default' | 'rest'

const begin = /^\/\/ ?profile:/i
const marker = /^\/\/ Profile: rest\. \S+(?: \S+){3,}$/

/** Lines of comment before the first other line. */
const headLength = (lines: readonly string[]): number => {
  const end = lines.findIndex((line) => !line.startsWith('//'))
  return end === -1 ? lines.length : end
}

export const profileOf = (text: string): Profile => {
  const lines = text.split('\n')
  return lines.slice(0, headLength(lines)).some((line) => marker.test(line)) ? 'rest' : 'default'
}

export const readProfile = (root: string, path: string): Profile => profileOf(readFileSync(join(root, path), 'utf8'))

/** Lines that look like a marker and are none: they would leave a file in the default profile unnoticed. */
export const findWrongMarkers = (path: string, text: string): string[] => {
  const lines = text.split('\n')
  const head = headLength(lines)
  return lines.flatMap((line, index) => {
    if (!begin.test(line) || (marker.test(line) && index < head)) return []
    const wrong = marker.test(line) ? 'stands below the head comment' : 'is not understood'
    return [
      `${path}:${index + 1}: this profile ${wrong}; write "// Profile: rest. REASON" in the head comment, the reason in four words or more`,
    ]
  })
}
