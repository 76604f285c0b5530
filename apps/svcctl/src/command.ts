// What every command has: a typed result that `--json` prints, and one way out for text.
import { isatty } from 'node:tty'
import { Command } from '@oclif/core'
import { toJson } from './output/json.ts'

export type Environment = Readonly<Record<string, string | undefined>>

/** `T` is the JSON result. */
export abstract class SvcctlCommand<T> extends Command {
  static override enableJsonFlag = true

  /** Set by `main` before a command runs. */
  static environment: Environment = {}

  abstract override run(): Promise<T>

  protected get environment(): Environment {
    return SvcctlCommand.environment
  }

  /** True where people read the result. */
  protected get toPeople(): boolean {
    return isatty(1)
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

  override logJson(json: unknown): void {
    process.stdout.write(`${toJson(json)}\n`)
  }

  /** Left to `main`, which renders every failure in one way. */
  protected override catch(error: Error): Promise<never> {
    return Promise.reject(error)
  }
}
