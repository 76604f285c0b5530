// svcctl doctor
import { styleText } from 'node:util'
import { SealProof } from '@gatehouse/contracts'
import { Flags } from '@oclif/core'
import * as v from 'valibot'
import { createCheckContext, Finding, notCheckedPrefix, runChecks } from '../doctor/check.ts'
import { withProgress } from '../output/progress.ts'
import { type Column, type Place, table, wrap } from '../output/table.ts'
import { visible } from '../output/values.ts'
import { UnitCommand, type UnitFlags } from '../unit-command.ts'

const columns: readonly Column<SealProof['walls'][number]>[] = [
  { name: 'CONTROL', value: (wall) => wall.name },
  { name: 'VERDICT', value: (wall) => wall.verdict },
  { name: 'MEANING', value: (wall) => wall.says, flexible: true },
]

const findMissing = ({ walls }: SealProof): number => walls.filter(({ verdict }) => verdict === 'lacking').length

const renderProof = (proof: SealProof, place: Place): string => table(columns, proof.walls, place)

/** Talk beside the table. */
const proofRemarks = (proof: SealProof): string[] => {
  const lacking = findMissing(proof)
  const verdict = lacking === 0 ? 'all controls are active' : `${lacking} controls are missing`
  return [
    `${proof.driver} by ${visible(proof.engine)}: ${verdict} (${proof.elapsedMs} ms)`,
    ...proof.faults.map((fault) => `the probe itself: ${visible(fault)}`),
    ...(proof.old === undefined ? [] : [`old release: ${visible(proof.old)}`]),
  ]
}

const colours = { pass: 'green', warn: 'yellow', fail: 'red' } as const
const signs = { pass: '✓', warn: '!', fail: '✗' } as const

const line = ({ check, status, detail, fix, advice }: Finding, width: number): string => {
  const sign = styleText(colours[status], signs[status], { stream: process.stdout })
  const under = (label: string, text: string | undefined): string[] =>
    text === undefined ? [] : [`  ${' '.repeat(width)}  ${styleText('bold', `${label}:`, { stream: process.stdout })} ${visible(text)}`]
  return [
    `${sign} ${check.padEnd(width)}  ${wrap(visible(detail), width + 4, process.stdout)}`,
    ...under('fix', fix),
    ...under('do', advice),
  ].join('\n')
}

/** What was not looked at for the same reason stands in one line, at the end. */
const toPeople = (findings: readonly Finding[]): string => {
  const width = Math.max(...findings.map(({ check }) => check.length))
  const isUnchecked = ({ detail }: Finding): boolean => detail.startsWith(notCheckedPrefix)
  const unchecked = Map.groupBy(findings.filter(isUnchecked), ({ detail }) => detail)
  const rows = [...unchecked.values()].flatMap(([first, ...others]) =>
    first === undefined ? [] : [{ ...first, check: [first, ...others].map(({ check }) => check).join(', ') }],
  )
  return [
    ...findings.filter((finding) => !isUnchecked(finding)).map((finding) => line(finding, width)),
    ...rows.map((finding) => line(finding, width)),
  ].join('\n')
}

const plain = ({ check, status, detail, fix, advice }: Finding): string =>
  [check, status, detail, fix ?? advice ?? ''].map(visible).join('\t')

export class Doctor extends UnitCommand<Finding[] | SealProof> {
  static override summary = 'Diagnose problems of this host and its unit, and suggest fixes.'
  static override description =
    'Only reads, also with the unit down. Ends with 1 if a check fails, with --strict also if one warns. What stands behind fix: can be typed as it is.'
  static override result: v.GenericSchema = v.union([v.array(Finding), SealProof])
  static override examples = ['svcctl doctor', 'svcctl doctor --state-dir state --json', 'svcctl doctor --probe']

  static override flags = {
    'state-dir': Flags.string({
      summary: 'State directory; default the one that the unit at the address holds.',
      helpValue: 'DIR',
      env: 'SERVICE_STATE_DIR',
    }),
    probe: Flags.boolean({
      summary: 'Prove the seal of sandboxes instead: launch four short ones and look from inside. Needs the role approver; journaled.',
    }),
    strict: Flags.boolean({ summary: 'Treat warnings as failures.' }),
  }

  async run(): Promise<Finding[] | SealProof> {
    const { flags, metadata } = await this.parse(Doctor)
    if (flags.probe) return await this.prove(flags)
    const { checks } = await import('../doctor/checks.ts')
    const context = await createCheckContext({
      environment: this.environment,
      address: flags.addr,
      addressGiven: metadata.flags.addr?.setFromDefault !== true,
      tokenFile: flags['token-file'],
      insecure: flags['insecure-http'],
      stateDir: flags['state-dir'],
    })
    const findings = await runChecks(context, checks)
    this.print(this.toPeople ? toPeople(findings) : findings.map(plain).join('\n'))
    const count = (status: Finding['status']): number => findings.filter((finding) => finding.status === status).length
    this.remark(`${count('pass')} pass, ${count('warn')} warn, ${count('fail')} fail`)
    if (count('fail') > 0 || (flags.strict && count('warn') > 0)) process.exitCode = 1
    return findings
  }

  private async prove(flags: UnitFlags): Promise<SealProof> {
    const client = await this.connect(flags)
    const proof = await withProgress('Verifying the seal in trial sandboxes', () => client.proveSeal())
    this.print(renderProof(proof, process.stdout))
    for (const remark of proofRemarks(proof)) this.say(remark)
    if (findMissing(proof) > 0) process.exitCode = 1
    return proof
  }
}
