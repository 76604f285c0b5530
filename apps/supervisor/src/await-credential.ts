// Waits for the credential that the other half of a split unit hands over.
import { stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { exits, isServiceError, runnerCredentialFile } from '@gatehouse/contracts'
import { Refusal, waitFor } from '@gatehouse/kernel'

export interface Awaiting {
  /** `MAINPID` is the process that writes it, as systemd says. */
  readonly env: Readonly<Record<string, string | undefined>>
  /** Told to stop. */
  readonly stopped: Promise<void>
  /** Milliseconds. */
  readonly deadline?: number
}

const gone = (code: NodeJS.ErrnoException['code'], detail: string): Refusal =>
  new Refusal(exits.childCannotStart, { detail, hint: 'look into the log of the half that writes it', cause: code })

/** A process of another user is there as well. */
const isRunning = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}

/** It is put into its place whole, so a file that is there is all of it. */
const isWritten = (path: string): Promise<boolean> =>
  stat(path).then(
    ({ size }) => size > 0,
    () => false,
  )

/** `Refusal` 70 where nobody writes it any more, or not in time. */
export const awaitCredential = async ({ env, stopped, deadline = 30_000 }: Awaiting): Promise<void> => {
  const path = join(resolve(env['SERVICE_STATE_DIR'] ?? '/var/lib/gatehouse/state'), runnerCredentialFile)
  const writer = /^\d{1,9}$/.test(env['MAINPID'] ?? '') ? Number(env['MAINPID']) : undefined
  let told = false
  void stopped.then(() => (told = true))
  const look = async (): Promise<boolean> => {
    if (told || (await isWritten(path))) return true
    if (writer === undefined || isRunning(writer)) return false
    throw gone('ESRCH', `expected ${path} to be written, but the process ${writer} that writes it has ended`)
  }
  try {
    await waitFor(look, { what: `${path} to be written`, deadline, every: 50 })
  } catch (error) {
    throw isServiceError(error) ? gone(error.code, error.detail) : error
  }
}
