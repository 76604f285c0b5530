// Environment variables: files that hold them, systemd credentials, and which ones a catalog entry may reference.
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { exits } from '@gatehouse/contracts'
import { Refusal } from '@gatehouse/kernel'
import { allSettings } from './flags.ts'

const never = [/^SERVICE_/, /^NODE_/, /^LD_/, /^npm_/i, /^(PATH|HOME|SHELL|USER|LOGNAME|PWD|OLDPWD|TERM|LANG|SHLVL|IFS|BASH_ENV|ENV|_)$/]

/** Settings of the unit, whatever their names begin with. */
const own = new Set(allSettings.flatMap(({ env }) => [env, `${env}_FILE`]))

const globToPattern = (glob: string): RegExp =>
  new RegExp(
    `^${glob
      .replaceAll(/[.+^${}()|[\]\\]/g, String.raw`\$&`)
      .replaceAll('*', '.*')
      .replaceAll('?', '.')}$`,
  )

/** `globs` as in `SERVICE_MCP_ENV`, separated by commas; undefined allows every variable that is not the unit's own. */
export const referenceable = (env: Readonly<Record<string, string | undefined>>, globs: string | undefined): Record<string, string> => {
  const allowed = globs?.split(',').map((glob) => globToPattern(glob.trim()))
  const picked: Record<string, string> = {}
  for (const [name, value] of Object.entries(env)) {
    if (value === undefined || own.has(name) || never.some((pattern) => pattern.test(name))) continue
    if (allowed !== undefined && !allowed.some((pattern) => pattern.test(name))) continue
    picked[name] = value
  }
  return picked
}

/** Absent is fine: then nothing came from it. `Refusal` 78 when anybody but its owner may read or write it. */
export const checkEnvFile = (path: string | undefined): void => {
  if (path === undefined) return
  const mode = modeOf(path)
  if (mode === undefined || (mode & 0o077) === 0) return
  throw new Refusal(exits.configuration, {
    detail: `${path}: expected mode 0600, got 0${mode.toString(8)}: others may read what is in it`,
    hint: `run: chmod 0600 ${path}; and replace the secrets that stand in it`,
  })
}

const modeOf = (path: string): number | undefined => {
  try {
    const found = statSync(path, { throwIfNoEntry: false })
    return found === undefined ? undefined : found.mode & 0o777
  } catch (error) {
    throw new Refusal(exits.configuration, {
      detail: `SERVICE_ENV_FILE: expected a file whose mode can be looked at, got ${path}`,
      hint: 'name the file that the environment came from, or unset SERVICE_ENV_FILE',
      cause: error,
    })
  }
}

/** Secrets that systemd hands over (`LoadCredential`): files of a directory that this start alone can read, named as the variables that they stand for. */
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
