// The bearer token, from the environment or a file. Never from a flag, which every user of the machine could read.
import { readFile } from 'node:fs/promises'
import { ServiceError } from '@gatehouse/contracts'
import type { Environment } from '../command.ts'

const fromFile = async (path: string): Promise<string> => {
  try {
    const token = (await readFile(path, 'utf8')).trim()
    if (token !== '') return token
  } catch (error) {
    throw new ServiceError('invalid', {
      detail: `expected a file with the token at ${path}, it cannot be read`,
      hint: 'check the path and its mode',
      cause: error,
    })
  }
  throw new ServiceError('invalid', { detail: `expected a file with the token at ${path}, it is empty` })
}

/** `--token-file` is stronger than the environment. Undefined where nothing names a token. */
export const readToken = async (environment: Environment, path: string | undefined): Promise<string | undefined> => {
  const token = environment['SERVICE_API_TOKEN']?.trim() || undefined
  const twin = environment['SERVICE_API_TOKEN_FILE'] || undefined
  if (path !== undefined) return await fromFile(path)
  if (token !== undefined && twin !== undefined) {
    throw new ServiceError('invalid', {
      detail: 'expected SERVICE_API_TOKEN or SERVICE_API_TOKEN_FILE, got both',
      hint: 'unset one of them',
    })
  }
  return twin === undefined ? token : await fromFile(twin)
}
