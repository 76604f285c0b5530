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

/** Names that a line carries at most. */
const namesMost = 500
/** Acts are looked for among so many last lines: the gateway may have died between the line and the end of the list. */
const linesBack = 100

const by = 'host'

const restoredReason = ({ createdAt }: Pick<Restored, 'createdAt'>): string =>
  `Restored from the backup of ${createdAt}: what was revoked since then is back. Look through tokens and grants, then lift this.`

const grantsOf = async ({ table }: Services): Promise<{ agentGroupID: string; server: string }[]> =>
  [...(await table.current())].flatMap(([agentGroupID, servers]) => [...servers.keys()].map((server) => ({ agentGroupID, server })))

/** Holds in memory from here on, whatever becomes of the journal. */
const freeze = ({ freezes }: Services, act: Restored): JournalInput[] => {
  const present = freezes.at(undefined)
  const made: Freeze = { reason: restoredReason(act), by, at: act.at }
  freezes.set(made)
  const lifted: JournalInput[] =
    present === undefined
      ? []
      : [{ stage: 'unfreeze', ...systemActor, by, detail: { reason: `frozen anew; the reason before: ${present.reason}` } }]
  return [...lifted, { stage: 'freeze', ...systemActor, by, detail: { freeze: made } }]
}

const linesOf = async (services: Services, act: HostAct): Promise<JournalInput[]> => {
  const { stage, id, ...facts } = act
  const line: JournalInput = { stage, ...systemActor, by, detail: { act: id, ...facts } }
  if (stage !== 'restored') return [line]
  const [tokens, grants] = [services.tokens.all().map(({ name }) => name), await grantsOf(services)]
  const detail = { ...line.detail, tokens: tokens.slice(0, namesMost), grants: grants.slice(0, namesMost) }
  return [{ ...line, detail }, ...freeze(services, act)]
}

const isJournaled = async ({ journal }: Services, { id }: HostAct): Promise<boolean> =>
  (await journal.page({ limit: linesBack })).some(({ detail }) => detail['act'] === id)

/** @param whole whether the journal may be written */
export const recordHostActs = async (services: Services, whole: boolean): Promise<void> => {
  const { boot, ledger, log } = services
  const acts = await readHostActs(boot.stateDir)
  for (const act of acts) {
    if (whole && (await isJournaled(services, act))) continue
    const lines = await linesOf(services, act)
    if (!whole) continue
    await ledger.commit(lines)
    if (act.stage === 'restored') log.warn('restored from a backup, so the unit is frozen', { createdAt: act.createdAt, head: act.head })
  }
  if (whole && acts.length > 0) await rm(join(boot.stateDir, hostActsFile), { force: true })
}
