// Mints the admin token anew, for whoever has lost it and owns the state directory. The old one opens nothing from then on.
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { stateFiles } from '@gatehouse/contracts'
import { addHostAct, wallTime, writeAtomically } from '@gatehouse/kernel'
import { recordShown } from '../../plan/token.ts'
import { whileStopped } from './stopped.ts'

/** The act is noted first: a reset that nobody reads of must not be. */
export const resetAdmin = (stateDir: string): Promise<string> =>
  whileStopped(stateDir, async () => {
    const token = randomBytes(32).toString('hex')
    await addHostAct(stateDir, { stage: 'token-create', id: randomBytes(16).toString('hex'), at: wallTime() })
    await writeAtomically(join(stateDir, stateFiles.adminToken), `${token}\n`)
    await recordShown(stateDir)
    return token
  })
