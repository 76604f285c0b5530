// Records what was done to the state while the unit was stopped. After a restore the unit is frozen, because a restore brings
// revoked tokens back.
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type Freeze, type HostAct, hostActsFile } from '@gatehouse/contracts'
import type { JournalInput } from '@gatehouse/journal'
import { readHostActs } from '@gatehouse/kernel'
import type { Services } from './compose.ts'
import { systemActor } from './state/change-records.ts'

type Restored = HostAct & { readonly stage: 'restored' }

/** Maximum number of names in a record. */
const maxNames = 500
/** Number of last records to search for an act: the gateway may have stopped before it removed the list of acts. */
const searchedRecords = 100

const by = 'host'

const restoredReason = ({ createdAt }: Pick<Restored, 'createdAt'>): string =>
  `Restored from the backup of ${createdAt}: tokens and grants revoked since then are valid again. Review tokens and grants, then lift this freeze.`

const listGrants = async ({ table }: Services): Promise<{ agentGroupID: string; server: string }[]> =>
  [...(await table.current())].flatMap(([agentGroupID, servers]) => [...servers.keys()].map((server) => ({ agentGroupID, server })))

/** Sets the freeze in memory at once, even if the journal cannot be written. */
const freeze = ({ freezes }: Services, act: Restored): JournalInput[] => {
  const present = freezes.at(undefined)
  const created: Freeze = { reason: restoredReason(act), by, at: act.at }
  freezes.set(created)
  const lifted: JournalInput[] =
    present === undefined
      ? []
      : [{ stage: 'unfreeze', ...systemActor, by, detail: { reason: `replaced by a new freeze; previous reason: ${present.reason}` } }]
  return [...lifted, { stage: 'freeze', ...systemActor, by, detail: { freeze: created } }]
}

const buildRecords = async (services: Services, act: HostAct): Promise<JournalInput[]> => {
  const { stage, id, ...facts } = act
  const line: JournalInput = { stage, ...systemActor, by, detail: { act: id, ...facts } }
  if (stage !== 'restored') return [line]
  const [tokens, grants] = [services.tokens.all().map(({ name }) => name), await listGrants(services)]
  const detail = { ...line.detail, tokens: tokens.slice(0, maxNames), grants: grants.slice(0, maxNames) }
  return [{ ...line, detail }, ...freeze(services, act)]
}

const isJournaled = async ({ journal }: Services, { id }: HostAct): Promise<boolean> =>
  (await journal.page({ limit: searchedRecords })).some(({ detail }) => detail['act'] === id)

/** Journals the acts. @param isWritable whether the journal may be written */
export const recordHostActs = async (services: Services, isWritable: boolean): Promise<void> => {
  const { boot, ledger, log } = services
  const acts = await readHostActs(boot.stateDir)
  for (const act of acts) {
    if (isWritable && (await isJournaled(services, act))) continue
    const lines = await buildRecords(services, act)
    if (!isWritable) continue
    await ledger.commit(lines)
    if (act.stage === 'restored') log.warn('unit frozen after restore from a backup', { createdAt: act.createdAt, head: act.head })
  }
  if (isWritable && acts.length > 0) await rm(join(boot.stateDir, hostActsFile), { force: true })
}
