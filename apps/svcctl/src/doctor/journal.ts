// The audit log in the state directory: its chain, its signatures, and that it holds what the database has seen.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { stateFiles } from '@gatehouse/contracts'
import { type Check, fail, noStateDirectory, pass, quoted, warn } from './check.ts'

const copyFirst = (stateDir: string): { advice: string } => ({
  advice: `keep a copy, then look: svcctl audit verify --state-dir ${quoted(stateDir)}`,
})

export const journal: Check = {
  name: 'journal',
  run: async ({ stateDir, environment }) => {
    const path = stateDir === undefined ? undefined : join(stateDir, stateFiles.audit)
    if (stateDir === undefined || path === undefined) return [noStateDirectory]
    if (!existsSync(path)) {
      const hasDatabase = existsSync(join(stateDir, stateFiles.database))
      return [hasDatabase ? fail(`${path} is missing beside its database`, copyFirst(stateDir)) : pass('nothing was written yet')]
    }
    const { verifyBeside } = await import('@gatehouse/journal/offline')
    const keyFile = environment['SERVICE_MASTER_KEY_FILE'] || undefined
    const { verdict, database } = await verifyBeside({ path, keyFile })
    if (!verdict.ok) return [fail(`${path}: line ${verdict.line} is bad: ${verdict.reason}`, copyFirst(stateDir))]
    if (database.status === 'compared') return [pass(`${path}: ${verdict.lines} lines, as the database has seen them`)]
    const reason = database.status === 'failed' ? database.error.detail : 'there is no database beside it'
    return [warn(`${path}: the chain holds, but it was not compared with the database: ${reason}`, copyFirst(stateDir))]
  },
}
