// Runs one program of the toolchain in a checkout and reports what it printed.
import { execa } from 'execa'
import type { Outcome } from './check.ts'

export interface ProgramOptions {
  readonly cwd: string
  readonly env?: Readonly<Record<string, string>>
  /** Shows the output while it comes, instead of keeping it for the report. */
  readonly live?: boolean
}

/** `file` is a name below `node_modules/.bin` of the checkout, or an absolute path. */
export const runProgram = async (file: string, args: readonly string[], options: ProgramOptions): Promise<Outcome> => {
  const result = await execa(file, args, {
    cwd: options.cwd,
    env: { ...options.env },
    preferLocal: true,
    localDir: options.cwd,
    reject: false,
    stdin: 'ignore',
    all: true,
    ...(options.live === true ? { stdout: 'inherit', stderr: 'inherit' } : {}),
  })
  if (!result.failed) return { ok: true, report: '' }
  if (options.live === true && result.exitCode !== undefined) return { ok: false, report: '' }
  const output = (result.all ?? '').trim()
  const end = result.exitCode === undefined ? (result.shortMessage ?? 'could not be started') : `exit code ${result.exitCode}`
  return { ok: false, report: output === '' ? `${file}: ${end}` : `${output}\n${file}: ${end}` }
}
