// The base of every command: a typed result that `--json` prints, and one way to write text.
import { isatty } from 'node:tty'
import { ServiceError } from '@gatehouse/contracts'
import { Command } from '@oclif/core'
import * as v from 'valibot'
import { toJson } from './output/visible.ts'

export type Environment = Readonly<Record<string, string | undefined>>

/** True where `--json` stands before `--`. */
export const wantsJson = (argv: readonly string[]): boolean =>
  argv.slice(0, argv.includes('--') ? argv.indexOf('--') : argv.length).includes('--json')

/** `T` is the JSON result. */
export abstract class SvcctlCommand<T> extends Command {
  static override enableJsonFlag = true
  /** What `--json` prints. */
  static result: v.GenericSchema = v.never()

  /** Set by `main` before a command runs. */
  static environment: Environment = {}

  abstract override run(): Promise<T>

  override logJson(result: unknown): void {
    process.stdout.write(`${toJson(result)}\n`)
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

  /** Asks at a terminal before something that cannot be undone; asks nothing in a pipe. */
  protected async insist(question: string): Promise<void> {
    if (!process.stdin.isTTY || !this.toPeople || this.jsonEnabled()) return
    const { confirm } = await import('./confirm.ts')
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

/** The JSON result of a command that has nothing to report. */
export const Done = v.strictObject({ done: v.literal(true) })
export type Done = v.InferOutput<typeof Done>

export const done: Done = { done: true }
