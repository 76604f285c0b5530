// svcctl doctor: what of a unit does not hold, found out by trying it.
import type { SealProof } from '@gatehouse/contracts'
import { Flags } from '@oclif/core'
import { type Column, table } from '../output/table.ts'
import { visible } from '../output/visible.ts'
import { UnitCommand } from '../unit-command.ts'

const columns: readonly Column<SealProof['walls'][number]>[] = [
  { name: 'WALL', value: (wall) => wall.name },
  { name: 'VERDICT', value: (wall) => wall.verdict },
  { name: 'WHAT IT MEANS', value: (wall) => wall.says, flexible: true },
]

const lackingExit = 1

export class Doctor extends UnitCommand<SealProof> {
  static override summary = 'Prove the seal: launch trial sandboxes by the engine of the unit and look from inside.'
  static override description =
    'Launches four short sandboxes, one after the other, and writes the result into the journal. ' +
    'Ends with 1 when a wall lacks. Needs the role approver.'
  static override examples = ['<%= config.bin %> doctor --probe', '<%= config.bin %> doctor --probe --json']

  static override flags = {
    probe: Flags.boolean({ summary: 'Prove the seal of sandboxes. The only check of this release.', required: true }),
  }

  async run(): Promise<SealProof> {
    const { flags } = await this.parse(Doctor)
    const client = await this.connect(flags)
    const proof = await client.proveSeal()
    const lacking = proof.walls.filter(({ verdict }) => verdict === 'lacking').length
    this.print(table(columns, proof.walls, process.stdout))
    this.say(
      `${proof.driver} by ${visible(proof.engine)}: ${lacking === 0 ? 'every wall holds' : `${lacking} walls lack`} (${proof.elapsedMs} ms)`,
    )
    for (const fault of proof.faults) this.say(`the probe itself: ${visible(fault)}`)
    if (proof.old !== undefined) this.say(`old release: ${visible(proof.old)}`)
    if (lacking === 0) return proof
    if (this.jsonEnabled()) this.logJson(proof)
    return this.exit(lackingExit)
  }
}
