// Renders every failure as one error, as text or as a problem document, with its exit code.
import { stripVTControlCharacters, styleText } from 'node:util'
import { type Change, codes, isServiceError, nextStep, ServiceError } from '@gatehouse/contracts'
import { toJson, visible, visibleLines } from './visible.ts'

interface CliError extends Error {
  readonly oclif: { readonly exit?: number | undefined }
}

const isCliError = (error: unknown): error is CliError => error instanceof Error && 'oclif' in error

/** An end that somebody asked for, such as that of `--help`. */
export const isExit = (error: unknown): error is CliError => isCliError(error) && 'code' in error && error.code === 'EEXIT'

/** Somebody pressed Ctrl-C. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted'
}

export const isInterrupted = (error: unknown): error is Interrupted => error instanceof Interrupted

/** What the parser of the command line says becomes `invalid`; what nobody foresaw becomes `internal`, with its message. */
export const toFailure = (error: unknown): ServiceError => {
  if (isServiceError(error)) return error
  if (isCliError(error)) {
    const [first = '', ...rest] = stripVTControlCharacters(error.message)
      .split('\n')
      .filter((line) => line !== '')
    const detail = [first, ...rest.filter((line) => !line.startsWith('See more help'))].join('\n')
    return new ServiceError('invalid', { detail, hint: 'add --help to see what the command takes', cause: error })
  }
  return new ServiceError('internal', { detail: error instanceof Error ? error.message : String(error), cause: error })
}

export const exitCodeOf = (failure: ServiceError): number => codes[failure.code].exit

export const render = (failure: ServiceError, stream: NodeJS.WritableStream): string => {
  const label = styleText('red', 'Error:', { stream })
  const fields = (failure.errors ?? []).map(({ pointer, detail }) => `  ${visible(pointer)}: ${visible(detail)}`)
  const extra = Object.entries(failure.extra ?? {}).map(([name, value]) => `  ${visible(name)}: ${visible(value)}`)
  const hint = failure.hint === undefined ? [] : [`Try: ${visible(failure.hint)}`]
  return `${[`${label} ${visibleLines(failure.detail)}`, ...fields, ...extra, ...hint].join('\n')}\n`
}

export const renderJson = (failure: ServiceError): string => {
  const { code, detail, hint, errors, extra } = failure
  const problem = { title: codes[code].title, status: codes[code].status, detail, code, hint, errors, ...extra }
  return `${toJson(problem)}\n`
}

/** An approval that came to nothing. */
export const applyFailed = (change: Change): ServiceError =>
  new ServiceError('conflict', {
    detail: `the change was approved, but it could not be applied: ${change.failure?.reason ?? 'no reason was given'}`,
    hint: nextStep(change),
    extra: { changeID: change.id, state: change.state },
  })
