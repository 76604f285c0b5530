// What every command has: a typed result that `--json` prints, and one way out for text.
import { isatty } from 'node:tty'
import { ServiceError } from '@gatehouse/contracts'
import * as v from 'valibot'
import { type ArgInput, type FlagInput, Flags, type Input, type OutputArgs, type OutputFlags, parse, type ParserOutput } from './oclif.ts'
import { toJson } from './output/json.ts'

export type Environment = Readonly<Record<string, string | undefined>>

/** A command line as somebody types it, with what it is for. */
export type Example = string | { readonly description: string; readonly command: string }

const json = Flags.boolean({ summary: 'Print the result as JSON.', helpGroup: 'GLOBAL' })

/** True where `--json` stands before `--`. */
export const wantsJson = (argv: readonly string[]): boolean =>
  argv.slice(0, argv.includes('--') ? argv.indexOf('--') : argv.length).includes('--json')

/** `T` is the JSON result. */
export abstract class SvcctlCommand<T> {
  /** One sentence. */
  static summary = ''
  static description = ''
  static examples: Example[] = []
  static args: ArgInput = {}
  static flags: FlagInput = {}
  /** What `--json` prints. */
  static result: v.GenericSchema = v.never()
  /** Flags of a whole family of commands. */
  static baseFlags: FlagInput = {}

  /** Set by `main` before a command runs. */
  static environment: Environment = {}

  private readonly argv: readonly string[]

  constructor(argv: readonly string[]) {
    this.argv = argv
  }

  abstract run(): Promise<T>

  /** Runs, and prints the result where JSON is asked for. */
  async execute(): Promise<void> {
    const result = await this.run()
    if (this.jsonEnabled()) process.stdout.write(`${toJson(result)}\n`)
  }

  protected parse<F extends OutputFlags<FlagInput>, B extends OutputFlags<FlagInput>, A extends OutputArgs<ArgInput>>(
    command: Input<F, B, A>,
  ): Promise<ParserOutput<F, B, A>> {
    const flags = { json, ...command.baseFlags, ...command.flags }
    return parse([...this.argv], { args: command.args, flags } as Input<F, B, A>)
  }

  protected get environment(): Environment {
    return SvcctlCommand.environment
  }

  protected jsonEnabled(): boolean {
    return wantsJson(this.argv)
  }

  /** True where people read the result. */
  protected get toPeople(): boolean {
    return isatty(1)
  }

  /** Asks at a terminal before something that cannot be taken back; nobody is asked in a pipe. */
  protected async insist(question: string): Promise<void> {
    if (!process.stdin.isTTY || !this.toPeople || this.jsonEnabled()) return
    const { confirm } = await import('./conversation/confirm.ts')
    if (!(await confirm(question))) throw new ServiceError('conflict', { detail: 'nothing was done' })
  }

  /** Data, on stdout. */
  protected print(text: string): void {
    if (text !== '' && !this.jsonEnabled()) process.stdout.write(text.endsWith('\n') ? text : `${text}\n`)
  }

  /** Talk, on stderr. */
  protected say(text: string): void {
    if (!this.jsonEnabled()) process.stderr.write(`${text}\n`)
  }

  /** Talk that only somebody at a terminal needs. */
  protected remark(text: string): void {
    if (this.toPeople) this.say(text)
  }
}
