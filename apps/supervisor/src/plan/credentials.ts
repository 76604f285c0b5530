// Secrets that systemd hands over (`LoadCredential`): files of a directory that this start alone can read, named as the variables that they stand for.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { exits } from '@gatehouse/contracts'
import { Refusal } from '@gatehouse/kernel'

type Env = Readonly<Record<string, string | undefined>>

/** systemd puts the id of a loaded directory before the names of its files. */
const name = /^(?:gatehouse_)?([A-Z][A-Z0-9_]*)$/

const read = (directory: string, file: string): string => readFileSync(join(directory, file), 'utf8').replace(/\r?\n$/, '')

const refuseTwice = (variable: string, env: Env): void => {
  const other = [variable, `${variable}_FILE`].find((given) => (env[given] ?? '') !== '')
  if (other === undefined) return
  throw new Refusal(exits.configuration, {
    detail: `expected ${variable} once, got it as a credential and by ${other}`,
    hint: `unset ${other}, or remove the credential`,
  })
}

/** The environment with what is in `CREDENTIALS_DIRECTORY`. The environment of the process itself never holds it. */
export const withCredentials = (env: Env): Env => {
  const directory = env['CREDENTIALS_DIRECTORY'] ?? ''
  if (directory === '') return env
  const found: Record<string, string> = {}
  for (const file of readdirSync(directory)) {
    const variable = name.exec(file)?.[1]
    if (variable === undefined) continue
    refuseTwice(variable, env)
    found[variable] = read(directory, file)
  }
  return { ...env, ...found }
}
