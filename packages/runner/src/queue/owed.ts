// Applied changes whose end in this session the gateway has not been told, kept over the runner's own death.
import { ChangeID } from '@gatehouse/contracts'
import type { Store } from '@gatehouse/store'
import * as v from 'valibot'

export const noteOwed = async (store: Store, id: ChangeID): Promise<void> => {
  await store.write((tx) => tx.run('INSERT INTO owed (change_id) VALUES (?) ON CONFLICT (change_id) DO NOTHING', [id]))
}

export const forgetOwed = async (store: Store, id: ChangeID): Promise<void> => {
  await store.write((tx) => tx.run('DELETE FROM owed WHERE change_id = ?', [id]))
}

export const owedIn = async (store: Store): Promise<ChangeID[]> => {
  const rows = v.parse(v.array(v.object({ id: ChangeID })), await store.read.all('SELECT change_id AS id FROM owed ORDER BY change_id'))
  return rows.map(({ id }) => id)
}
