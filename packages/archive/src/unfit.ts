// Why an archive cannot have something: asked by whoever makes one of what others wrote, since an archive with a single
// entry that its reader refuses is never restored.
import type { Entry } from './entry.ts'
import { isReadAsWritten } from './head.ts'
import { expectedOf } from './rules.ts'

/**
 * The system takes paths of at most 4095 bytes. 255 are for the state directory that it is restored to, 32 for the working
 * directory in it, two for what parts them; the rest is for whoever lays that directory somewhat deeper.
 */
const longestPath = 3800

/** In words that go on after its path; undefined: nothing keeps it out. */
export const unfitFor = (entry: Entry): string | undefined => {
  if (Buffer.byteLength(entry.path) > longestPath) return `its path is longer than ${longestPath} bytes, and could not be restored`
  const expected = expectedOf(entry)
  if (expected !== undefined) return `an archive may not have it: expected ${expected}`
  return isReadAsWritten(entry) ? undefined : 'its path or target has a line end or so, which is not read from an archive as it is written'
}
