// What `--json FIELDS` and `--jq EXPR` make of a result: some of its fields, or what an expression of jq gives.
import { ServiceError } from '@gatehouse/contracts'
import type { Jq } from 'jq-wasm/inline'
import type * as v from 'valibot'
import { findNearest, toJson, visible } from './values.ts'

interface Shape {
  readonly type: string
  readonly entries?: Readonly<Record<string, unknown>>
  readonly item?: Shape
  readonly options?: readonly Shape[]
  readonly wrapped?: Shape
}

const namesOf = (shape: Shape): string[] => {
  if (shape.entries !== undefined) return Object.keys(shape.entries)
  const inner = shape.item ?? shape.wrapped
  if (inner !== undefined) return namesOf(inner)
  return (shape.options ?? []).filter((option) => typeof option === 'object').flatMap(namesOf)
}

/** Fields of the result, or of each item of a list; empty where it has none. */
export const fieldsOf = (schema: v.GenericSchema): string[] => [...new Set(namesOf(schema))]

export interface SplitArguments {
  readonly argv: string[]
  /** Undefined for the whole result. */
  readonly fields: readonly string[] | undefined
}

/**
 * Takes FIELDS out of a command line. A word behind `--json` is taken where the command has no arguments, or where it is a list with
 * commas; `--json=FIELDS` always.
 */
export const splitFields = (argv: readonly string[], hasArguments: boolean): SplitArguments => {
  const end = argv.indexOf('--')
  const at = argv.findIndex((word, index) => (end === -1 || index < end) && (word === '--json' || word.startsWith('--json=')))
  if (at === -1) return { argv: [...argv], fields: undefined }
  const [, joined] = (argv[at] ?? '').split('=', 2)
  const next = argv[at + 1]
  const isList = next !== undefined && next !== '--' && /^[A-Za-z]\w*(,[A-Za-z]\w*)*$/.test(next) && (!hasArguments || next.includes(','))
  const text = joined ?? (isList ? next : undefined)
  const rest = argv.toSpliced(at, joined === undefined && isList ? 2 : 1, '--json')
  return { argv: rest, fields: text === undefined ? undefined : text.split(',') }
}

/** Throws for a field that the result does not have. */
export const assertFields = async (fields: readonly string[], known: readonly string[]): Promise<void> => {
  const unknown = fields.find((field) => !known.includes(field))
  if (unknown === undefined) return
  const near = await findNearest(unknown, known)
  throw new ServiceError('invalid', {
    detail: `--json: unknown field ${JSON.stringify(unknown)}${near === undefined ? '' : `, did you mean ${near}?`}`,
    hint: known.length === 0 ? 'the result has no fields: use plain --json' : `fields: ${known.join(',')}`,
  })
}

const pick = (value: unknown, fields: readonly string[]): unknown =>
  typeof value === 'object' && value !== null ? Object.fromEntries(Object.entries(value).filter(([name]) => fields.includes(name))) : value

/** Each item of a list, or the one object, with these fields only. */
export const selectFields = (result: unknown, fields: readonly string[] | undefined): unknown => {
  if (fields === undefined) return result
  return Array.isArray(result) ? result.map((item) => pick(item, fields)) : pick(result, fields)
}

/** Exit code of jq for an expression that it cannot compile. */
const cannotCompile = 3

const invalid = (stderr: string): ServiceError =>
  new ServiceError('invalid', {
    detail: `--jq: ${visible(stderr.replace(/^jq: (error: )?/, '').split('\n')[0] ?? '')}`,
    hint: 'an expression of jq, such as --jq ".[].id"',
  })

/** Throws for an expression that is none, before a command acts. The result gives a string as it is and everything else as JSON. */
export const openJq = async (expression: string): Promise<(result: unknown) => string> => {
  const { loadJq } = await import('jq-wasm/inline')
  const jq: Jq = await loadJq()
  const run = (input: unknown) => jq.raw(JSON.parse(toJson(input)) as object, expression, ['-r', '-c'])
  const trial = run(null)
  if (trial.exitCode === cannotCompile) throw invalid(trial.stderr)
  return (result) => {
    const { stdout, stderr, exitCode } = run(result)
    if (exitCode !== 0) throw invalid(stderr)
    return stdout
  }
}
