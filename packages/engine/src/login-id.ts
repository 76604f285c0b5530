// The login id that the kernel's audit writes beside all that a process and its children do. While it is unset anybody may set it once,
// an agent too, and would then be recorded as somebody else.
import { readFileSync, writeFileSync } from 'node:fs'

const path = '/proc/self/loginuid'
const unset = '4294967295'

/**
 * Sets the login id of this process to its own uid where none is set, so that no child can choose one. Only the main thread may, hence
 * synchronous. A kernel without audit has no such file, and some let nobody write it: whether a sandbox can is what the seal proof says.
 */
export const fixLoginID = (): void => {
  try {
    if (readFileSync(path, 'utf8').trim() === unset) writeFileSync(path, String(process.getuid?.() ?? 0))
  } catch {
    // Nothing to fix, or not allowed to.
  }
}
