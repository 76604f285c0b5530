// A secret from its variable or from the file that its `_FILE` twin names. Never shows the value in a message.
import { readFileSync, statSync } from 'node:fs'
import { exits } from '@gatehouse/contracts'
import { codeOf } from '../files/permission.ts'
import { Refusal } from '../life/refusal.ts'

export interface Secret {
  readonly value: string
  readonly origin: 'env' | 'file'
  /** Why the file is less private than it should be. */
  readonly warning?: string
}

const most = 64 * 1024

/** What an editor or a Secret of Kubernetes made of a file puts behind it. */
const withoutLineBreak = (text: string): string => text.replace(/\r?\n$/, '')

const readFile = (variable: string, path: string): Secret => {
  try {
    const found = statSync(path)
    if (!found.isFile() || found.size > most) {
      throw new Refusal(exits.configuration, { detail: `expected ${variable} to name a file of at most ${most} bytes, got ${path}` })
    }
    const value = withoutLineBreak(readFileSync(path, 'utf8'))
    const mode = found.mode & 0o777
    if ((mode & 0o177) === 0) return { value, origin: 'file' }
    const warning = `${variable}: expected mode 0600 or narrower on ${path}, got 0${mode.toString(8)}; run: chmod 0600 ${path}`
    return { value, origin: 'file', warning }
  } catch (error) {
    if (error instanceof Refusal) throw error
    throw new Refusal(exits.configuration, {
      detail: `expected ${variable} to name a file that can be read, got ${path} (${String(codeOf(error))})`,
      hint: `write the secret to ${path}, or unset ${variable}`,
      cause: error,
    })
  }
}

/** Undefined when neither is set; an empty variable is not set. Both: `Refusal` 78. */
export const readSecret = (name: string, env: Readonly<Record<string, string | undefined>>): Secret | undefined => {
  const value = env[name]
  const path = env[`${name}_FILE`]
  if (value && path) {
    throw new Refusal(exits.configuration, { detail: `expected ${name} or ${name}_FILE, got both`, hint: `unset one of them` })
  }
  if (value) return { value: withoutLineBreak(value), origin: 'env' }
  return path ? readFile(`${name}_FILE`, path) : undefined
}
