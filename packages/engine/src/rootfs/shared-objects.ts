// The shared objects that a program needs, by the loader's own word.
import { ServiceError } from '@gatehouse/contracts'
import { execa } from 'execa'
import { findProgram, programPath } from '@gatehouse/kernel'

/** `libc.so.6 => /lib/x86_64-linux-gnu/libc.so.6 (0x…)` or `/lib64/ld-linux-x86-64.so.2 (0x…)`. */
const line = /^\s*(?:\S+ => )?(\/\S+) \(0x[0-9a-f]+\)$/

/** Absolute paths on the host, sorted; empty for a static program. Runs `ldd`. */
export const sharedObjects = async (program: string): Promise<string[]> => {
  const ldd = await findProgram('ldd')
  if (ldd === null) throw new ServiceError('no-sandbox', { detail: 'no program ldd', hint: 'install libc-bin' })
  const { stdout, stderr, exitCode } = await execa(ldd, [program], { reject: false, env: { PATH: programPath }, extendEnv: false })
  if (exitCode !== 0) {
    if (`${stdout}${stderr}`.includes('not a dynamic executable') || stdout.includes('statically linked')) return []
    throw new ServiceError('no-sandbox', { detail: `${ldd} ${program} ended with ${exitCode}: ${stderr || stdout}` })
  }
  if (stdout.includes('not found')) {
    throw new ServiceError('no-sandbox', { detail: `${program} lacks shared objects: ${stdout}`, hint: 'install libstdc++6 and libgcc-s1' })
  }
  return [...new Set(stdout.split('\n').flatMap((text) => line.exec(text)?.[1] ?? []))].toSorted()
}
