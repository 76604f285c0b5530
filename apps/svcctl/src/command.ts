// The base of every command: a typed result that `--json` and `--jq` print, and one way to write text.
import { isatty } from 'node:tty'
import { ServiceError } from '@gatehouse/contracts'
import { Command, Flags } from '@oclif/core'
import * as v from 'valibot'
import { assertFields, fieldsOf, openJq, selectFields, splitFields } from './output/select.ts'
import { toJson, visibleLines } from './output/values.ts'

export type Environment = Readonly<Record<string, string | undefined>>

/** True where the result is asked for as JSON: `--json` or `--jq` before `--`. */
export const wantsJson = (argv: readonly string[]): boolean =>
  argv.slice(0, argv.includes('--') ? argv.indexOf('--') : argv.length).some((word) => /^--(json|jq)(=|$)/.test(word))

/** Flags of every command. */
const outputFlags = {
  json: Flags.boolean({
    summary: 'Print the whole result as JSON, or only these fields, such as --json id,kind.',
    helpGroup: 'GLOBAL',
    helpLabel: '--json [FIELDS]',
  }),
  jq: Flags.string({ summary: 'Print what an expression of jq makes of the JSON result.', helpGroup: 'GLOBAL', helpValue: 'EXPR' }),
}

/** `T` is the JSON result. */
export abstract class SvcctlCommand<T> extends Command {
  static override enableJsonFlag = true
  static override baseFlags = outputFlags
  /** What `--json` prints. */
  static result: v.GenericSchema = v.never()

  /** Set by `main` before a command runs. */
  static environment: Environment = {}

  #fields: readonly string[] | undefined
  #filter: ((result: unknown) => string) | undefined

  abstract override run(): Promise<T>

  /** Reads FIELDS and EXPR before the command acts, so that a wrong one changes nothing. */
  protected override async init(): Promise<void> {
    await super.init()
    const { args, result } = this.ctor as typeof SvcctlCommand
    const { argv, fields } = splitFields(this.argv, Object.keys(args).length > 0)
    this.argv = argv
    if (fields !== undefined) await assertFields(fields, fieldsOf(result))
    this.#fields = fields
    const expression = this.#expression()
    if (expression !== undefined) this.#filter = await openJq(expression)
  }

  #expression(): string | undefined {
    const end = this.argv.indexOf('--')
    const words = this.argv.slice(0, end === -1 ? this.argv.length : end)
    const at = words.findIndex((word) => /^--jq(=|$)/.test(word))
    const [, ...joined] = (words[at] ?? '').split('=')
    return at === -1 ? undefined : joined.length > 0 ? joined.join('=') : words[at + 1]
  }

  override jsonEnabled(): boolean {
    return wantsJson(this.argv)
  }

  override logJson(result: unknown): void {
    const selected = selectFields(result, this.#fields)
    if (this.#filter === undefined) return void process.stdout.write(`${toJson(selected)}\n`)
    const text = this.#filter(selected)
    if (text !== '') process.stdout.write((this.toPeople ? visibleLines(text) : text).replace(/\n?$/, '\n'))
  }

  /** `main` renders every failure. */
  protected override catch(error: Error): Promise<never> {
    return Promise.reject(error)
  }

  protected get environment(): Environment {
    return SvcctlCommand.environment
  }

  /** True where people read the result. */
  protected get toPeople(): boolean {
    return isatty(1)
  }

  /** True where someone can be asked. */
  protected get canAsk(): boolean {
    return process.stdin.isTTY && this.toPeople && !this.jsonEnabled()
  }

  /** Asks at a terminal before an act that cannot be undone; asks nothing in a pipe. */
  protected async insist(question: string): Promise<void> {
    if (!this.canAsk) return
    const { confirm } = await import('./input/ask.ts')
    if (!(await confirm(question))) throw new ServiceError('conflict', { detail: 'no changes made' })
  }

  /** Data, on stdout. */
  protected print(text: string): void {
    if (text !== '' && !this.jsonEnabled()) process.stdout.write(text.endsWith('\n') ? text : `${text}\n`)
  }

  /** Talk, on stderr. */
  protected say(text: string): void {
    if (!this.jsonEnabled()) process.stderr.write(`${text}\n`)
  }

  /** Talk for people at a terminal. */
  protected remark(text: string): void {
    if (this.toPeople) this.say(text)
  }
}

/** The JSON result of a command that has nothing to report. */
export const Done = v.strictObject({ done: v.literal(true) })
export type Done = v.InferOutput<typeof Done>

export const done: Done = { done: true }
