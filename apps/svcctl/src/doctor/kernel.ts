// What the kernel of this host lets an unprivileged sandbox do.
import { readFile } from 'node:fs/promises'
import { existsSync } from 'node:fs'
import { type Check, launchesNothing, pass, type Verdict, warn } from './check.ts'

const value = async (path: string): Promise<string | undefined> =>
  (await readFile(`/proc/sys/${path}`, 'utf8').catch(() => undefined))?.trim()

export const kernel: Check = {
  name: 'kernel',
  run: async ({ unit }) => {
    if (launchesNothing(unit)) return [pass('not needed: this unit launches nothing')]
    if (process.platform !== 'linux') return [pass('not Linux: nothing to check')]
    const [clone, apparmor, most] = await Promise.all([
      value('kernel/unprivileged_userns_clone'),
      value('kernel/apparmor_restrict_unprivileged_userns'),
      value('user/max_user_namespaces'),
    ])
    const verdicts: Verdict[] = [
      ...(clone === '0' ? [warn('user namespaces are for root alone', 'sysctl -w kernel.unprivileged_userns_clone=1')] : []),
      ...(apparmor === '1'
        ? [warn('AppArmor keeps programs from user namespaces', 'sysctl -w kernel.apparmor_restrict_unprivileged_userns=0')]
        : []),
      ...(most === '0' ? [warn('no user namespace may be made', 'sysctl -w user.max_user_namespaces=15000')] : []),
      ...(existsSync('/sys/fs/cgroup/cgroup.controllers')
        ? []
        : [
            warn('cgroup v2 is not mounted: limits of sandboxes are not enforced by every engine', {
              advice: 'start with systemd.unified_cgroup_hierarchy=1',
            }),
          ]),
    ]
    return verdicts.length === 0 ? [pass('user namespaces and cgroup v2')] : verdicts
  },
}
