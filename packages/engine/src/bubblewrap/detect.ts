// Whether bubblewrap works here: its programs are there, and a trial sandbox over the host's own root ran.
import type { Choice } from '../choice.ts'
import { findProgram } from '../programs.ts'
import { isArchitecture, renderBpf } from '../seccomp/to-bpf.ts'
import { tryLaunch } from '../trial.ts'
import { createBubblewrap } from './driver.ts'

const packages = { bwrap: 'bubblewrap', setpriv: 'util-linux', prlimit: 'util-linux' } as const

const blocked =
  'user namespaces may be blocked: allow them (sysctl kernel.apparmor_restrict_unprivileged_userns=0, kernel.unprivileged_userns_clone=1) or use --sandbox container'

export const detectBubblewrap = async (): Promise<Choice> => {
  const [bwrap, setpriv, prlimit] = await Promise.all([findProgram('bwrap'), findProgram('setpriv'), findProgram('prlimit')])
  if (bwrap === null || setpriv === null || prlimit === null) {
    const found = { bwrap, setpriv, prlimit }
    const lacking = (['bwrap', 'setpriv', 'prlimit'] as const).filter((name) => found[name] === null)
    return { refused: `${lacking.join(', ')} not found: apt-get install ${[...new Set(lacking.map((name) => packages[name]))].join(' ')}` }
  }
  const driver = createBubblewrap({
    programs: { bwrap, setpriv, prlimit },
    root: process.getuid?.() === 0,
    filter: isArchitecture(process.arch) ? renderBpf(process.arch) : null,
  })
  const trial = await findProgram('true')
  const fault = trial === null ? 'no program `true` to try it with' : await tryLaunch((spec) => driver.launch(spec), '/', [trial])
  return fault === null ? { driver } : { refused: `a trial sandbox by bwrap failed: ${fault}; ${blocked}` }
}
