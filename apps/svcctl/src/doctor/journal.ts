// The chain of hashes of the journal on this host.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { stateFiles } from '@gatehouse/contracts'
import { type Check, fail, pass, quoted, skip } from './check.ts'

export const journal: Check = {
  name: 'journal',
  run: async ({ stateDir }) => {
    const path = stateDir === undefined ? undefined : join(stateDir, stateFiles.audit)
    if (stateDir === undefined || path === undefined || !existsSync(path)) return [skip('there is none on this host')]
    const key = join(stateDir, stateFiles.journalKey)
    const { verifyJournal } = await import('@gatehouse/journal')
    const verdict = await verifyJournal({ path, publicKeyPath: existsSync(key) ? key : undefined, head: undefined })
    if (verdict.ok) return [pass(`${verdict.lines} lines are sound`)]
    return [
      fail(`line ${verdict.line} is bad: ${verdict.reason}`, {
        advice: `keep a copy, then look: svcctl audit verify --state-dir ${quoted(stateDir)}`,
      }),
    ]
  },
}
