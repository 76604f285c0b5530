// Checks a journal that is open, while lines are added to it: what is added meanwhile is not looked at.
import { genesis } from './chain.ts'
import { inspect } from './inspect.ts'
import { Inspector, type KnownHead } from './inspector.ts'
import { loadPublicKeys } from './keys.ts'
import { blocks } from './lines.ts'
import type { Part } from './read.ts'
import type { Verdict } from './verify.ts'

export interface Expected {
  readonly publicKeyPath: string
  /** Among them the one that the process remembers: what was cut off on the disk is missed. */
  readonly known: readonly KnownHead[]
}

/** @param parts oldest first */
export const verifyParts = async (parts: readonly Part[], { publicKeyPath, known }: Expected): Promise<Verdict> => {
  const inspector = new Inspector({ start: genesis, keys: await loadPublicKeys(publicKeyPath), known })
  for (const { read, end } of parts) {
    // What is no longer there, or that the disk does not give, is a fault of the journal and none of the question.
    const fault = await inspect(blocks(read, end), inspector).catch((error: unknown) =>
      inspector.missing(error instanceof Error ? error.message : String(error)),
    )
    if (fault !== undefined) return { ok: false, ...fault }
  }
  const fault = inspector.end()
  return fault === undefined ? { ok: true, lines: inspector.lines, head: inspector.head } : { ok: false, ...fault }
}
