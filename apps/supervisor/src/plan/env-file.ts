// The file that the environment came from: whoever can read it knows what is in it, so it is its owner's alone.
import { statSync } from 'node:fs'
import { exits } from '@gatehouse/contracts'
import { Refusal } from '@gatehouse/kernel'

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
