// Runs one program of the host to its end, with arguments as they are: never a shell, nothing of our environment.
import { execa } from 'execa'
import { programPath } from '@gatehouse/kernel'
import { inWords, saysNoRoom } from './no-room.ts'

/** Copying what a group has takes its time. */
const patience = 600_000

/** `stdin`: an open file of ours. Rejects with what the program said last, and with the code `ENOSPC` where it found no room at any time. */
export const runProgram = async (file: string, args: readonly string[], stdin: number | 'ignore' = 'ignore'): Promise<void> => {
  const options = { env: { PATH: programPath, LC_ALL: 'C' }, extendEnv: false, cwd: '/', reject: false } as const
  // Its types know small numbers alone.
  const result = await execa(file, [...args], { ...options, stdin: stdin as 'ignore' | 3, timeout: patience })
  if (!result.failed) return
  const said = (result.stderr || result.stdout || result.shortMessage || 'it said nothing').trim().split('\n').slice(-3).join(' ')
  const failed = Object.assign(new Error(`${file} failed: ${said.slice(0, 300)}`, { cause: result.cause }), { exitCode: result.exitCode })
  throw saysNoRoom(result.stderr) ? inWords(Object.assign(failed, { code: 'ENOSPC' })) : failed
}
