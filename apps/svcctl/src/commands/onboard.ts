// svcctl onboard
import { createInterface } from 'node:readline/promises'
import { styleText } from 'node:util'
import { ServiceError } from '@gatehouse/contracts'
import { Flags } from '@oclif/core'
import * as v from 'valibot'
import { OnboardNotes, type Questions, type Tour } from '../onboard/step.ts'
import { steps } from '../onboard/steps.ts'
import { Interrupted } from '../output/failure.ts'
import { wrap } from '../output/table.ts'
import { visible } from '../output/values.ts'
import { loginName } from '../submission/login-name.ts'
import { UnitCommand } from '../unit-command.ts'

/** Questions of the first run at a terminal. Enter takes what is usual; Ctrl-C and Ctrl-D end the tour, which goes on next time. */
const put = async (question: string): Promise<string> => {
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  const ended = new Promise<never>((_, reject) => {
    for (const event of ['close', 'SIGINT']) terminal.once(event, () => reject(new Interrupted()))
  })
  try {
    return (await Promise.race([terminal.question(question), ended])).trim()
  } catch (error) {
    process.stderr.write('\n')
    throw error
  } finally {
    ended.catch(() => undefined)
    terminal.close()
  }
}

const show = (text: string): void => void process.stderr.write(`\n${text.trimEnd().replaceAll(/^(?=.)/gm, '  ')}\n\n`)

const atTerminal: Questions = {
  ask: async (question, usual) => (await put(`  ${visible(question)}${usual === '' ? '' : ` [${visible(usual)}]`}: `)) || usual,
  confirm: async (question) => /^y(es)?$/i.test(await put(`  ${visible(question)} [y/N] `)),
  show,
}

/** `--yes`: what is usual, and every change is approved. */
const defaultAnswers: Questions = { ask: (_, usual) => Promise.resolve(usual), confirm: () => Promise.resolve(true), show: () => undefined }

const Toured = v.strictObject({ steps: v.array(OnboardNotes), group: v.nullable(v.string()), complete: v.boolean() })
type Toured = v.InferOutput<typeof Toured>

const colours = { done: 'green', now: 'green', would: 'cyan', waits: 'yellow', left: 'yellow' } as const
const signs = { done: '✓', now: '✓', would: '→', waits: '…', left: '!' } as const
const width = Math.max(...steps.map(({ name }) => name.length))

const line = ({ step, state, detail, type }: OnboardNotes, toPeople: boolean): string => {
  if (!toPeople) return [step, state, detail, type ?? ''].map(visible).join('\t')
  const sign = styleText(colours[state], signs[state], { stream: process.stdout })
  const head = `${sign} ${step.padEnd(width)}  ${wrap(visible(detail), width + 4, process.stdout)}`
  return type === undefined ? head : `${head}\n  ${' '.repeat(width)}  next: ${wrap(visible(type), width + 10, process.stdout)}`
}

export class Onboard extends UnitCommand<Toured> {
  static override summary = 'Guided setup: create an agent and approve its first tool.'
  static override description =
    'Each step looks at the unit itself: what is there is passed over, so a run that was broken off goes on where it stopped. Every change is shown before you approve it. With --yes nothing is asked: a mock agent, the first tool of the first server, and what your token may approve is approved. With --dry-run nothing is altered.'

  static override result = Toured
  static override examples = ['svcctl onboard --dry-run', 'svcctl onboard --yes', 'svcctl onboard --yes --group dev-agent --json']

  static override flags = {
    yes: Flags.boolean({ summary: 'Ask nothing: take what is usual, and approve it.', exclusive: ['dry-run'] }),
    'dry-run': Flags.boolean({ summary: 'Only say what each step would do.' }),
    group: Flags.string({ summary: 'The agent group that it is about; default the first.', helpValue: 'ID' }),
  }

  async run(): Promise<Toured> {
    const { flags } = await this.parse(Onboard)
    const dryRun = flags['dry-run']
    const questions = this.questions(flags.yes || dryRun)
    const client = await this.connect(flags)
    const tour: Tour = {
      ...questions,
      client,
      environment: this.environment,
      self: loginName(),
      dryRun,
      status: () => client.status(),
      group: flags.group,
    }
    const told: OnboardNotes[] = []
    for (const { name, take } of steps) {
      const one = { step: name, ...(await take(tour)) }
      told.push(one)
      this.print(line(one, this.toPeople))
    }
    const group = tour.group ?? null
    const complete = told.at(-1)?.state === 'done' || told.at(-1)?.state === 'now'
    this.remark(`\n${this.last(complete, group)}`)
    return { steps: told, group, complete }
  }

  private questions(unattended: boolean): Questions {
    if (unattended) return defaultAnswers
    if (process.stdin.isTTY && this.toPeople && !this.jsonEnabled()) return atTerminal
    throw new ServiceError('invalid', { detail: 'expected a terminal to ask at, got none', hint: 'svcctl onboard --yes, or --dry-run' })
  }

  private last(complete: boolean, group: string | null): string {
    if (complete && group !== null) return `Try: svcctl chat ${group} hello`
    return 'Continue at any time: svcctl onboard'
  }
}
