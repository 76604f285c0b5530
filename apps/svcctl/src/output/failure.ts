// Renders every failure as one error, as text or as a problem document, with its exit code.
import { stripVTControlCharacters, styleText } from 'node:util'
import { type Change, codes, isServiceError, nextStep, ServiceError } from '@gatehouse/contracts'
import { toJson, visible, visibleLines } from './values.ts'

interface CliError extends Error {
  readonly oclif: { readonly exit?: number | undefined }
}

const isCliError = (error: unknown): error is CliError => error instanceof Error && 'oclif' in error

/** A requested exit, such as that of `--help`. */
export const isExit = (error: unknown): error is CliError => isCliError(error) && 'code' in error && error.code === 'EEXIT'

/** Ctrl-C was pressed. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted'
}

export const isInterrupted = (error: unknown): error is Interrupted => error instanceof Interrupted

const isList = (value: unknown): value is string[] => Array.isArray(value) && value.every((part) => typeof part === 'string')

/** What the parser of the command line said, in one form: what is wrong first. */
const usageDetail = (error: CliError): string => {
  if ('args' in error && error.name !== 'RequiredArgsError' && isList(error.args))
    return `unexpected argument${error.args.length === 1 ? '' : 's'}: ${error.args.map((word) => JSON.stringify(word)).join(', ')}`
  const [first = '', ...rest] = stripVTControlCharacters(error.message)
    .split('\n')
    .filter((line) => line.trim() !== '' && !line.startsWith('See more help'))
  if (/^The following errors? occurred/.test(first))
    return rest.map((line) => line.trim().replace(/^Missing required flag (\S+)$/, 'missing required flag: --$1')).join('\n')
  return [first.replace(/^Nonexistent flag/, 'unknown flag').replace(/^Missing (\d+) required arg/, 'missing $1 argument'), ...rest].join(
    '\n',
  )
}

/** Errors of the command line become `invalid`; an unforeseen error becomes `internal`, with its message. */
export const toFailure = (error: unknown): ServiceError => {
  if (isServiceError(error)) return error
  if (isCliError(error))
    return new ServiceError('invalid', { detail: usageDetail(error), hint: 'add --help to see what the command takes', cause: error })
  return new ServiceError('internal', { detail: error instanceof Error ? error.message : String(error), cause: error })
}

export const exitCodeOf = (failure: ServiceError): number => codes[failure.code].exit

/** The flag that a field of a request comes from, where it has another name. */
const flagNames: Readonly<Record<string, string>> = {
  agentGroupID: 'group',
  requestedBy: 'as',
  decidedBy: 'by',
  instructions: 'text',
  persona: 'text',
  enabled: 'enable',
  members: 'member',
  limits: 'limit',
  providerTools: 'provider-tool',
  mounts: 'mount',
  tools: 'tool',
  expiresAt: 'expires',
  maxCalls: 'max-calls',
  args: 'arg',
  headers: 'header',
  identities: 'identity',
  groups: 'group',
}

/** Fields of a submission that no JSON of --after or --file holds. */
const ofRequest: ReadonlySet<string> = new Set(['agentGroupID', 'requestedBy', 'reason', 'kind'])

/** What people typed: the flag, or --after with the place in its JSON. */
const flagAt = (pointer: string, argv: readonly string[]): string => {
  const [, first = '', second = ''] = pointer.split('/')
  const json = ['--after', '--file'].find((flag) => argv.some((word) => word === flag || word.startsWith(`${flag}=`)))
  if (json !== undefined && !ofRequest.has(first)) return `${json} ${visible(pointer.replace(/^\/after/, ''))}`.trim()
  const field = first === 'after' ? second : first
  return field === '' ? 'the request' : `--${visible(flagNames[field] ?? field)}`
}

export const render = (failure: ServiceError, stream: NodeJS.WritableStream, argv: readonly string[] = []): string => {
  const label = styleText('red', 'Error:', { stream })
  const fields = (failure.errors ?? []).map(({ pointer, detail }) => `  ${flagAt(pointer, argv)}: ${visible(detail)}`)
  const extra = Object.entries(failure.extra ?? {}).map(([name, value]) => `  ${visible(name)}: ${visible(value)}`)
  const hint = failure.hint === undefined ? [] : [`Try: ${visible(failure.hint)}`]
  return `${[`${label} ${visibleLines(failure.detail)}`, ...fields, ...extra, ...hint].join('\n')}\n`
}

export const renderJson = (failure: ServiceError): string => {
  const { code, detail, hint, errors, extra } = failure
  const problem = { title: codes[code].title, status: codes[code].status, detail, code, hint, errors, ...extra }
  return `${toJson(problem)}\n`
}

/** An approved change that could not be applied. */
export const applyFailed = (change: Change): ServiceError =>
  new ServiceError('conflict', {
    detail: `approved, but not applied: ${change.failure?.reason ?? 'no reason given'}`,
    hint: nextStep(change),
    extra: { changeID: change.id, state: change.state },
  })
