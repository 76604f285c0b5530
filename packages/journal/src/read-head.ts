// The last journal line that a database of the gateway holds, as the gateway wrote it in the transaction of that line's effect.
import type { Rows } from '@gatehouse/store'
import { genesis, type Head } from './chain.ts'

export const readHead = async (rows: Pick<Rows, 'get'>): Promise<Head> =>
  (await rows.get<Head>('SELECT seq, hash FROM head WHERE one = 1')) ?? { seq: genesis.seq, hash: genesis.hash }
