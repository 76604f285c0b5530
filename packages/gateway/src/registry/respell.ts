// Wirings that were stored before addresses had one spelling. Where two of them are the same address now, the one that was approved
// first keeps it: the other one could only take it by another spelling.
import { canonicalAddress, type Wired } from '@gatehouse/contracts'
import type { Logger } from '@gatehouse/kernel'
import type { Store, Transaction } from '@gatehouse/store'
import { writeEffect } from './effect.ts'
import { readWirings } from './world.ts'

const respelled = (wired: Wired): Wired => ({ ...wired, address: canonicalAddress(wired.channel, wired.address) })

const isSame = (one: Wired, other: Wired): boolean => one.channel === other.channel && one.address === other.address

const rename = async (tx: Transaction, wired: Wired, address: string): Promise<void> => {
  await tx.run('DELETE FROM wirings WHERE channel = ? AND address = ?', [wired.channel, wired.address])
  await tx.run('UPDATE OR IGNORE cards SET address = ? WHERE channel = ? AND address = ?', [address, wired.channel, wired.address])
}

export const respellWirings = async ({
  store,
  log,
}: {
  readonly store: Pick<Store, 'read' | 'write'>
  readonly log: Logger
}): Promise<void> => {
  const wirings = (await readWirings(store.read)).toSorted((one, other) => (one.changeID < other.changeID ? -1 : 1))
  const odd = wirings.filter((wired) => respelled(wired).address !== wired.address)
  if (odd.length === 0) return
  const kept = wirings.filter((wired, index) => !wirings.slice(0, index).some((earlier) => isSame(respelled(earlier), respelled(wired))))
  await store.write(async (tx) => {
    for (const wired of odd) await rename(tx, wired, respelled(wired).address)
    for (const wired of kept) await writeEffect(tx, { type: 'wired', wired: respelled(wired) })
  })
  for (const { channel, agentGroupID, changeID } of wirings.filter((wired) => !kept.includes(wired)))
    log.warn('wiring removed: its address is another spelling of an address that was wired before', { channel, agentGroupID, changeID })
}
