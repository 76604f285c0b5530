// The wanted state of a change: JSON from an argument, a file or standard input, or made from sugar.
import { readFile } from 'node:fs/promises'
import { text as readAll } from 'node:stream/consumers'
import { ServiceError } from '@gatehouse/contracts'
import { expandShorthand, type Shorthand } from './shorthand.ts'

export interface AfterFlags extends Shorthand {
  readonly after?: string | undefined
  readonly file?: string | undefined
}

const parse = (json: string, origin: string): unknown => {
  try {
    return JSON.parse(json)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new ServiceError('invalid', { detail: `expected JSON in ${origin}: ${reason}`, cause: error })
  }
}

/** A file, or standard input for `-`. */
export const readText = async (path: string): Promise<string> => {
  if (path === '-') return await readAll(process.stdin)
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    throw new ServiceError('invalid', { detail: `expected a file at ${path}, it cannot be read`, cause: error })
  }
}

export const readJson = async (path: string): Promise<unknown> => parse(await readText(path), path === '-' ? 'standard input' : path)

export const readAfter = async (kind: string, flags: AfterFlags): Promise<unknown> => {
  if (flags.after !== undefined) return parse(flags.after, '--after')
  if (flags.file !== undefined) return readJson(flags.file)
  return expandShorthand(kind, flags)
}
