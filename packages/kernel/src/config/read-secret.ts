// Reads a secret from its environment variable or from the file named by its `_FILE` variable. No message contains the value.
import { readFileSync, statSync } from 'node:fs'
import { exits } from '@gatehouse/contracts'
import { errorCode } from '../files/permission.ts'
import { Refusal } from '../life/refusal.ts'

export interface Secret {
  readonly value: string
  readonly origin: 'env' | 'file'
  /** Set when other users may read the file. */
  readonly warning?: string
}

const maxBytes = 64 * 1024

/** Editors, and Kubernetes Secrets made from a file, end the value with a line break. */
const withoutLineBreak = (text: string): string => text.replace(/\r?\n$/, '')

const readFile = (variable: string, path: string): Secret => {
  try {
    const stats = statSync(path)
    if (!stats.isFile() || stats.size > maxBytes) {
      throw new Refusal(exits.configuration, { detail: `expected ${variable} to name a file of at most ${maxBytes} bytes, got ${path}` })
    }
    const value = withoutLineBreak(readFileSync(path, 'utf8'))
    const mode = stats.mode & 0o777
    if ((mode & 0o177) === 0) return { value, origin: 'file' }
    const warning = `${variable}: expected mode 0600 or narrower on ${path}, got 0${mode.toString(8)}; run: chmod 0600 ${path}`
    return { value, origin: 'file', warning }
  } catch (error) {
    if (error instanceof Refusal) throw error
    throw new Refusal(exits.configuration, {
      detail: `expected ${variable} to name a file that can be read, got ${path} (${String(errorCode(error))})`,
      hint: `write the secret to ${path}, or unset ${variable}`,
      cause: error,
    })
  }
}

/** Undefined when neither is set; an empty variable counts as unset. Throws `Refusal` 78 when both are set. */
export const readSecret = (name: string, env: Readonly<Record<string, string | undefined>>): Secret | undefined => {
  const value = env[name]
  const path = env[`${name}_FILE`]
  if (value && path) {
    throw new Refusal(exits.configuration, { detail: `expected ${name} or ${name}_FILE, got both`, hint: `unset one of them` })
  }
  if (value) return { value: withoutLineBreak(value), origin: 'env' }
  return path ? readFile(`${name}_FILE`, path) : undefined
}
