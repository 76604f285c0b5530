// svcctl apply
import type { Client } from '@gatehouse/client'
import { ServiceError } from '@gatehouse/contracts'
import { Flags } from '@oclif/core'
import * as v from 'valibot'
import { Outcome } from '../declaration/execute.ts'
import type { Declaration } from '../declaration/file.ts'
import { type Column, table } from '../output/table.ts'
import { readText } from '../submission/after.ts'
import { loginName } from '../submission/login-name.ts'
import { UnitCommand } from '../unit-command.ts'

const Applied = v.strictObject({
  steps: v.array(Outcome),
  /** What no change can bring. */
  others: v.array(v.string()),
  /** True where nothing is missing, held or waiting. */
  complete: v.boolean(),
})
type Applied = v.InferOutput<typeof Applied>

const columns: readonly Column<Outcome>[] = [
  { name: 'STATE', value: (step) => step.state },
  { name: 'KIND', value: (step) => step.kind },
  { name: 'GROUP', value: (step) => step.agentGroupID },
  { name: 'CHANGE', value: ({ changeID, waitsFor }) => changeID ?? `waits for ${waitsFor ?? ''}`, flexible: true },
]

/** Groups, then servers, then what rests on both. */
const mostRounds = 4

export class Apply extends UnitCommand<Applied> {
  static override summary = 'Submit the changes needed to match gatehouse.yaml.'
  static override description =
    'Each difference is a change, held like any other; what is held already is not asked for again, and what the file does not name stays as it is. Some changes wait for others: apply again when those are approved, until it prints nothing. With --approve-as each is approved at once by your own token, as far as it may.'
  static override result = Applied
  static override examples = [
    { description: 'See what is missing', command: 'svcctl apply -f gatehouse.yaml --diff' },
    { description: 'Ask for it', command: 'svcctl apply -f gatehouse.yaml --reason "the new set-up"' },
    { description: 'Set up a unit of your own', command: 'svcctl apply -f gatehouse.yaml --approve-as alice' },
  ]

  static override flags = {
    file: Flags.string({ char: 'f', summary: 'The declaration; - is standard input.', helpValue: 'PATH', required: true }),
    diff: Flags.boolean({ summary: 'Only show what is missing.', exclusive: ['approve-as'] }),
    'approve-as': Flags.string({ summary: 'Approve at once, under this label.', helpValue: 'APPROVER' }),
    reason: Flags.string({ summary: 'Why, for those who decide.', helpValue: 'TEXT' }),
    as: Flags.string({ summary: 'Label of the requester; default the login name.', helpValue: 'LABEL' }),
  }

  async run(): Promise<Applied> {
    const { flags } = await this.parse(Apply)
    const { parseDeclaration } = await import('../declaration/file.ts')
    const declaration = parseDeclaration(await readText(flags.file), flags.file === '-' ? 'standard input' : flags.file)
    const client = await this.connect(flags)
    if (flags.diff) return await this.showMissing(client, declaration)
    const settings = { requestedBy: `cli:${flags.as ?? loginName()}`, reason: flags.reason, approver: flags['approve-as'] }
    const applied = await this.round(client, declaration, settings)
    this.print(table(columns, applied.steps, process.stdout))
    for (const other of applied.others) this.say(`Not asked for: ${other}`)
    if (applied.complete) this.remark('The unit matches the file.')
    else if (applied.steps.some(({ state }) => state === 'waiting'))
      this.remark('Apply again when these are approved. Try: svcctl change pending')
    else if (settings.approver !== undefined && applied.steps.some(({ state }) => state === 'held'))
      this.remark('Somebody else must approve what is held. Try: svcctl change pending')
    return applied
  }

  /** One round, or as many as it takes where each change is approved at once. */
  private async round(client: Client, declaration: Declaration, settings: Settings): Promise<Applied> {
    const [{ executeStep }, { buildPlan }, { readUnit }] = await Promise.all([
      import('../declaration/execute.ts'),
      import('../declaration/plan.ts'),
      import('../declaration/current.ts'),
    ])
    const done: Outcome[] = []
    for (let round = 1; ; round += 1) {
      const present = await readUnit(client)
      const { steps, others } = buildPlan(declaration, present)
      const outcomes: Outcome[] = []
      for (const step of steps) outcomes.push(await executeStep(step, { client, held: present.held, ...settings }))
      done.push(...outcomes.filter(({ state }) => state === 'applied'))
      const rest = outcomes.filter(({ state }) => state !== 'applied')
      const goesOn = outcomes.some(({ state }) => state === 'applied') && rest.length > 0
      if (goesOn && round > mostRounds)
        throw new ServiceError('conflict', { detail: `expected the unit to have what was approved after ${round} rounds, it has not` })
      if (!goesOn) return { steps: [...done, ...rest], others: [...others], complete: rest.length === 0 && others.length === 0 }
    }
  }

  private async showMissing(client: Client, declaration: Declaration): Promise<Applied> {
    const [{ buildPlan }, { readUnit }, { renderSteps }] = await Promise.all([
      import('../declaration/plan.ts'),
      import('../declaration/current.ts'),
      import('../declaration/step.ts'),
    ])
    const { steps, others } = buildPlan(declaration, await readUnit(client))
    this.print(renderSteps(steps, process.stdout))
    for (const other of others) this.print(`! ${other}`)
    if (steps.length + others.length === 0) this.remark('The unit matches the file.')
    const missing = steps.map(({ kind, group, waitsFor = 'an apply' }): Outcome => ({
      kind,
      agentGroupID: group,
      state: 'waiting',
      waitsFor,
    }))
    return { steps: missing, others: [...others], complete: steps.length + others.length === 0 }
  }
}

interface Settings {
  readonly requestedBy: string
  readonly reason: string | undefined
  readonly approver: string | undefined
}
