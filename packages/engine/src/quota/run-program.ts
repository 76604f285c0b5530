// Runs one program of the host to its end, with arguments as they are: never a shell, nothing of our environment.
import { execa } from 'execa'
import { programPath } from '@gatehouse/kernel'

/** Copying what a group has takes its time. */
const patience = 600_000

/** Rejects with what the program said. */
export const runProgram = async (file: string, args: readonly string[]): Promise<void> => {
  const options = { env: { PATH: programPath, LC_ALL: 'C' }, extendEnv: false, cwd: '/', stdin: 'ignore', reject: false } as const
  const result = await execa(file, [...args], { ...options, timeout: patience })
  if (!result.failed) return
  const said = (result.stderr || result.stdout || result.shortMessage || 'it said nothing').trim().split('\n').slice(-3).join(' ')
  throw new Error(`${file} failed: ${said.slice(0, 300)}`, { cause: result.cause })
}
