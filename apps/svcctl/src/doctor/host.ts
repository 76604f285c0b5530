// Checks of this host: kernel, Node, disk space, clock and ports.
import { existsSync } from 'node:fs'
import { readFile, statfs } from 'node:fs/promises'
import { createServer } from 'node:net'
import { isServiceError } from '@gatehouse/contracts'
import { wallMs, wallTime } from '@gatehouse/kernel'
import { createFetch } from '../connection/node-fetch.ts'
import {
  type Check,
  type CheckContext,
  fail,
  launchesNothing,
  noStateDirectory,
  notAnswered,
  pass,
  quoted,
  type Verdict,
  warn,
} from './check.ts'

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

/** The Node that runs this. */
const minNodeVersion = 24

export const runtime: Check = {
  name: 'runtime',
  run: async () => {
    const major = Number(process.versions.node.split('.', 1)[0])
    return [
      major >= minNodeVersion
        ? pass(`Node ${process.versions.node}`)
        : fail(`Node ${process.versions.node}, expected ${minNodeVersion} or later`, 'npx pnpm@12 install'),
    ]
  },
}

/** Room for what the unit writes. */
const mebibyte = 1024 * 1024
const minFreeBytes = 256 * mebibyte

export const disk: Check = {
  name: 'disk',
  run: async ({ stateDir }) => {
    if (stateDir === undefined || !existsSync(stateDir)) return [noStateDirectory]
    const { bavail, bsize, blocks, ffree, files } = await statfs(stateDir)
    const free = bavail * bsize
    const bound = Math.min(minFreeBytes, (blocks * bsize) / 8)
    const look = { advice: `make room; du -xh --max-depth=1 ${quoted(stateDir)} | sort -h says what takes it` }
    const words = `${Math.floor(free / mebibyte)} MiB are free`
    if (free < bound) return [fail(`${words}: call records and queues have stopped`, look)]
    if (files > 0 && ffree < files / 100) return [fail(`${ffree} inodes are free`, look)]
    return [free < bound * 2 ? warn(words, look) : pass(words)]
  },
}

/** The clock of this host beside that of the unit: grants and tokens end by it. */
const most = 30_000
const fix = 'timedatectl set-ntp true'

const remote = async ({ address, environment }: CheckContext): Promise<string | null> => {
  const signal = AbortSignal.timeout(5_000)
  const answer = await createFetch(environment)(`${address.replace(/\/+$/, '')}/healthz`, {
    method: 'GET',
    headers: {},
    redirect: 'error',
    signal,
  })
  await answer.text()
  return answer.headers.get('date')
}

export const clock: Check = {
  name: 'clock',
  run: async (site) => {
    if (new Date(wallMs()).getUTCFullYear() < 2026) return [fail(`it is set to ${wallTime()}`, fix)]
    const { unit } = site
    if (!unit.reached && !(isServiceError(unit.error) && unit.error.code === 'unauthorized')) return [notAnswered]
    const date = await remote(site)
    const apart = date === null ? 0 : Math.abs(wallMs() - Date.parse(date))
    return [
      apart < most ? pass('agrees with that of the unit') : fail(`it is ${Math.round(apart / 1000)} s away from that of the unit`, fix),
    ]
  },
}

/** Whether a unit that is down could take its address. */
const isFree = (host: string, port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(true)))
  })

export const ports: Check = {
  name: 'ports',
  run: async ({ unit, address }) => {
    const found = unit
    if (found.reached || (isServiceError(found.error) && found.error.code === 'unauthorized')) return [pass('the unit has its own')]
    const url = URL.parse(address)
    if (url === null || !/^(127\.|localhost$|\[::1\]$)/.test(url.hostname)) return [pass('not needed: the unit is on another host')]
    const port = Number(url.port || (url.protocol === 'https:' ? 443 : 80))
    if (await isFree(url.hostname.replaceAll(/[[\]]/g, ''), port)) return [pass(`${port} is free for a unit`)]
    return [fail(`${port} is taken by something that is no unit`, { advice: `ss -ltnp 'sport = :${port}' says by what` })]
  },
}
