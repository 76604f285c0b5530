// Gives back the disk of a group whose files are kept no longer: emptied first, then free.
import { settleOne } from './owed.ts'
import { inPoolTurn, type Pool } from './pool.ts'
import { owedBeside } from './reference.ts'

/** `reference`: of a group that has no point any more. What the group owed beside it is emptied too. */
export const giveBack = (pool: Pool, reference: string): Promise<void> =>
  inPoolTurn(pool, async () => {
    for (const path of [...(await owedBeside(reference)), reference]) await settleOne(pool, path)
  })
