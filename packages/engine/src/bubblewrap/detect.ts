// Detects whether bubblewrap works on this host: its programs are installed, and a trial sandbox over the host's root ran.
import { mkdir } from 'node:fs/promises'
import { findProgram } from '@gatehouse/kernel'
import { detectGroups } from '../cgroup/group.ts'
import { checkRelease, type Choice, type ChooseOptions, tryLaunch } from '../choice.ts'
import { findStagePrograms } from '../mount-namespace.ts'
import { isArchitecture, renderBpf } from '../seccomp/filter.ts'
import { type BubblewrapOptions, createBubblewrap } from './driver.ts'
import type { BubblewrapPrograms } from './program.ts'

const packages = { bwrap: 'bubblewrap', setpriv: 'util-linux', prlimit: 'util-linux' } as const

const blocked =
  'user namespaces may be blocked: allow them (sysctl kernel.apparmor_restrict_unprivileged_userns=0, kernel.unprivileged_userns_clone=1) or use --sandbox container'

const findPrograms = async (): Promise<BubblewrapPrograms | string> => {
  const [bwrap, setpriv, prlimit] = await Promise.all([findProgram('bwrap'), findProgram('setpriv'), findProgram('prlimit')])
  if (bwrap !== null && setpriv !== null && prlimit !== null) return { bwrap, setpriv, prlimit }
  const found = { bwrap, setpriv, prlimit }
  const lacking = (['bwrap', 'setpriv', 'prlimit'] as const).filter((name) => found[name] === null)
  return `${lacking.join(', ')} not found: apt-get install ${[...new Set(lacking.map((name) => packages[name]))].join(' ')}`
}

/** Why the trial failed; null when it ran. */
const tryOut = async (options: BubblewrapOptions, unitId: string): Promise<string | null> => {
  const trial = await findProgram('true')
  if (trial === null) return 'the program `true`, which the trial runs, was not found'
  return tryLaunch((spec) => createBubblewrap(options).launch(spec), { rootfs: '/', command: [trial], unitId }).catch((error: unknown) =>
    String(error),
  )
}

export const detectBubblewrap = async ({ home, unitId }: ChooseOptions): Promise<Choice> => {
  const programs = await findPrograms()
  if (typeof programs === 'string') return { refused: programs }
  await mkdir(home, { recursive: true, mode: 0o700 })
  const [stage, hierarchy, old] = await Promise.all([findStagePrograms(), detectGroups(unitId), checkRelease('bwrap', programs.bwrap)])
  const filter = isArchitecture(process.arch) ? renderBpf(process.arch) : null
  const whole = { programs, root: process.getuid?.() === 0, filter, stage, hierarchy, home }
  // A trial can be killed by chance, so only two failures count.
  const fault = (await tryOut(whole, unitId)) && (await tryOut(whole, unitId))
  if (fault === null) return { driver: createBubblewrap(whole), ...(old === null ? {} : { old }) }
  // Some hosts allow namespaces but not nested ones; then the control `mount-flags` is missing.
  const plain = { ...whole, stage: null }
  const again = stage === null ? fault : await tryOut(plain, unitId)
  if (again !== null) return { refused: `a trial sandbox by bwrap failed: ${again}; ${blocked}` }
  return { driver: createBubblewrap(plain), ...(old === null ? {} : { old }) }
}
