// Migrates wirings stored before addresses were canonical. Of several with one address, the one approved first stays; the audit
// log names the others.
import { canonicalAddress, Wired } from '@gatehouse/contracts'
import type { JournalInput } from '@gatehouse/journal'
import type { Logger } from '@gatehouse/kernel'
import type { Store, Transaction } from '@gatehouse/store'
import * as v from 'valibot'
import type { Ledger } from '../ledger/ledger.ts'
import type { Projection, Projections } from '../ledger/projection.ts'
import { systemActor } from './change-records.ts'
import { writeEffect } from './effects.ts'
import { readWirings } from './unit-config.ts'

export interface RespellDeps {
  readonly store: Pick<Store, 'read' | 'write'>
  readonly ledger: Pick<Ledger, 'commit'>
  readonly log: Logger
}

const RemovedDetail = v.strictObject({
  /** The wiring that is removed, as it was stored. */
  removed: Wired,
  /** The wiring that keeps the address. */
  kept: Wired,
})
type Removed = v.InferOutput<typeof RemovedDetail>

const respelled = (wired: Wired): Wired => ({ ...wired, address: canonicalAddress(wired.channel, wired.address) })

const respell = async (tx: Transaction, wired: Wired): Promise<void> => {
  const { address } = respelled(wired)
  await tx.run('DELETE FROM wirings WHERE channel = ? AND address = ?', [wired.channel, wired.address])
  await tx.run('UPDATE OR IGNORE cards SET address = ? WHERE channel = ? AND address = ?', [address, wired.channel, wired.address])
}

/** Other records of this stage are about the recovery of the journal. */
const recovered: Projection = async (tx, { detail }) => {
  if (!('removed' in detail)) return
  const { removed, kept } = v.parse(RemovedDetail, detail)
  for (const wired of [removed, kept]) await respell(tx, wired)
  await writeEffect(tx, { type: 'wired', wired: respelled(kept) })
}

export const respellProjections: Projections = { recovered }

const isSame = (one: Wired, other: Wired): boolean => one.channel === other.channel && one.address === other.address

const findRemoved = (wirings: readonly Wired[]): Removed[] =>
  wirings.flatMap((wired, index) => {
    const kept = wirings.slice(0, index).find((earlier) => isSame(respelled(earlier), respelled(wired)))
    return kept === undefined ? [] : [{ removed: wired, kept }]
  })

const toRecord = (detail: Removed): JournalInput => {
  const { agentGroupID, changeID } = detail.removed
  return { stage: 'recovered', ...systemActor, agentGroupID, changeID, kind: 'wiring', detail: { ...detail } }
}

/** Migrates wirings at the start, before anything else is journaled. Without a writable journal, duplicates are left unchanged. */
export const canonicalizeWirings = async ({ store, ledger, log }: RespellDeps): Promise<void> => {
  const wirings = (await readWirings(store.read)).toSorted((one, other) => (one.changeID < other.changeID ? -1 : 1))
  const removed = findRemoved(wirings)
  const isUnique = (wired: Wired): boolean => removed.every((one) => one.removed !== wired && one.kept !== wired)
  const nonCanonical = wirings.filter((wired) => respelled(wired).address !== wired.address && isUnique(wired))
  if (nonCanonical.length > 0)
    await store.write(async (tx) => {
      for (const wired of nonCanonical) {
        await respell(tx, wired)
        await writeEffect(tx, { type: 'wired', wired: respelled(wired) })
      }
    })
  if (removed.length === 0) return
  await ledger.commit(removed.map(toRecord))
  for (const {
    removed: { channel, agentGroupID, changeID },
  } of removed)
    log.warn('removed a wiring: its address is another spelling of an address that was already wired', { channel, agentGroupID, changeID })
}
