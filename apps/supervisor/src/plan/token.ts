// The admin token: given, known (`--demo`), none (`--dev`), or minted once, kept, and shown once.
import { randomBytes } from 'node:crypto'
import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { demoToken, exits, stateFiles } from '@gatehouse/contracts'
import { ifPresent, Refusal, sha256, writeAtomically } from '@gatehouse/kernel'
import type { Plan } from './plan.ts'

export interface AdminToken {
  /** Null on an open unit. */
  readonly value: string | null
  /** Absent once it was shown. */
  readonly newToken?: NewToken
}

export interface NewToken {
  /** Prints the token, then records that it was printed. */
  show(print: (token: string) => void): Promise<void>
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

/**
 * Beside a token that was minted and not shown yet: the SHA-256 of that token, so that it says nothing of any other. Its own file,
 * so that a kill at any moment leaves a token that will be shown.
 */
const markOf = (tokenFile: string): string => `${tokenFile}.unshown`

/** Whoever prints a token by another way calls it. */
export const recordShown = (stateDir: string): Promise<void> => rm(markOf(join(stateDir, stateFiles.adminToken)), { force: true })

/** A token that nobody has seen is shown by the first start that becomes ready, and by no later one. */
const newToken = (value: string, stateDir: string): NewToken => ({
  show: async (print) => {
    print(value)
    await recordShown(stateDir)
  },
})

export const resolveToken = async (plan: Pick<Plan, 'mode' | 'token' | 'open' | 'stateDir'>): Promise<AdminToken> => {
  if (plan.mode === 'demo') return { value: demoToken }
  if (plan.token !== null) return { value: plan.token }
  if (plan.open) return { value: null }
  const path = join(plan.stateDir, stateFiles.adminToken)
  const mark = markOf(path)
  const kept = (await ifPresent(readFile(path, 'utf8')))?.trim()
  if (kept !== undefined)
    return { value: kept, ...((await ifPresent(readFile(mark, 'utf8'))) === sha256(kept) && { newToken: newToken(kept, plan.stateDir) }) }
  const value = randomBytes(32).toString('hex')
  await writeAtomically(mark, sha256(value))
  await writeAtomically(path, `${value}\n`)
  return { value, newToken: newToken(value, plan.stateDir) }
}
