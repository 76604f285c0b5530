// The admin token: given, known (`--demo`), none (`--dev`), or minted once and kept.
import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { demoToken, exits, stateFiles } from '@gatehouse/contracts'
import { Refusal, writeAtomically } from '@gatehouse/kernel'
import type { Plan } from './plan.ts'

export interface AdminToken {
  /** Null on an open unit. */
  readonly value: string | null
  readonly minted: boolean
}

/** Refuses a token that is short, that no request could carry, or that everybody knows. */
export const checkToken = (token: string, mode: Plan['mode']): void => {
  if (token === demoToken && mode !== 'demo') {
    throw new Refusal(exits.configuration, {
      detail: 'SERVICE_API_TOKEN: expected a secret, got the well-known token of --demo',
      hint: 'make one with: openssl rand -hex 32',
    })
  }
  if (token.length < 32) {
    throw new Refusal(exits.configuration, {
      detail: `SERVICE_API_TOKEN: expected at least 32 characters, got ${token.length}`,
      hint: 'make one with: openssl rand -hex 32',
    })
  }
  if (!/^[\x21-\x7e]+$/.test(token)) {
    throw new Refusal(exits.configuration, {
      detail: 'SERVICE_API_TOKEN: expected letters, digits and signs of ASCII, got one with white space or others in it',
      hint: 'make one with: openssl rand -hex 32',
    })
  }
}

export const resolveToken = async (plan: Plan): Promise<AdminToken> => {
  if (plan.mode === 'demo') return { value: demoToken, minted: false }
  if (plan.token !== null) return { value: plan.token, minted: false }
  if (plan.open) return { value: null, minted: false }
  const path = join(plan.stateDir, stateFiles.adminToken)
  try {
    return { value: (await readFile(path, 'utf8')).trim(), minted: false }
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error
  }
  const value = randomBytes(32).toString('hex')
  await writeAtomically(path, `${value}\n`)
  return { value, minted: true }
}
