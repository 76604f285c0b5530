// Writes a proof of the seal into the journal, however long the gateway takes to be there.
import { setTimeout as pause } from 'node:timers/promises'
import type { gatewayRunner, SealProof } from '@gatehouse/contracts'
import { backoff, type Logger } from '@gatehouse/kernel'
import type { Calls } from '@gatehouse/rpc'
import { missingControls } from './seal.ts'

export interface RecordOptions {
  readonly gateway: Pick<Calls<typeof gatewayRunner>, 'note'>
  readonly log: Logger
  /** Aborts when the runner stops; what was not written by then is lost, and said so. */
  readonly closing: AbortSignal
}

const detailOf = (proof: SealProof) => ({
  driver: proof.driver,
  engine: proof.engine,
  held: proof.walls.filter(({ verdict }) => verdict === 'held').map(({ name }) => name),
  lacking: missingControls(proof),
  elapsedMs: proof.elapsedMs,
  faults: proof.faults,
  ...(proof.old === undefined ? {} : { old: proof.old }),
})

export const createRecord = ({ gateway, log, closing }: RecordOptions): ((proof: SealProof) => void) => {
  const write = async (proof: SealProof): Promise<void> => {
    const delays = backoff({ first: 100, most: 5_000 })
    while (!closing.aborted) {
      try {
        await gateway.note({ stage: 'seal-proof', detail: detailOf(proof) })
        return
      } catch (error) {
        log.debug('the proof of the seal is not written yet', { error })
        await pause(delays.next(), undefined, { signal: closing }).catch(() => undefined)
      }
    }
    log.warn('journal line lost', { stage: 'seal-proof' })
  }
  return (proof) => void write(proof)
}
