// The seal of sandboxes as a trial found it: each wall, and what else was noticed.
import type { SealProof } from '@gatehouse/contracts'
import { type Column, type Place, table } from './table.ts'
import { visible } from './visible.ts'

const columns: readonly Column<SealProof['walls'][number]>[] = [
  { name: 'WALL', value: (wall) => wall.name },
  { name: 'VERDICT', value: (wall) => wall.verdict },
  { name: 'WHAT IT MEANS', value: (wall) => wall.says, flexible: true },
]

export const lackingOf = ({ walls }: SealProof): number => walls.filter(({ verdict }) => verdict === 'lacking').length

export const renderProof = (proof: SealProof, place: Place): string => table(columns, proof.walls, place)

/** Talk beside the table. */
export const proofRemarks = (proof: SealProof): string[] => {
  const lacking = lackingOf(proof)
  const verdict = lacking === 0 ? 'every wall holds' : `${lacking} walls lack`
  return [
    `${proof.driver} by ${visible(proof.engine)}: ${verdict} (${proof.elapsedMs} ms)`,
    ...proof.faults.map((fault) => `the probe itself: ${visible(fault)}`),
    ...(proof.old === undefined ? [] : [`old release: ${visible(proof.old)}`]),
  ]
}
