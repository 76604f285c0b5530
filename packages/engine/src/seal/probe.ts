// Runs inside a sandbox and prints its facts as one line of JSON. It evaluates nothing and needs only Node.
import { closeSync, openSync, readFileSync, readdirSync, readlinkSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { spawnSync } from 'node:child_process'
import { connect } from 'node:net'
import { join } from 'node:path'
import type { Facts, MountFact } from './facts.ts'

const attempt = <T>(act: () => T): T | null => {
  try {
    return act()
  } catch {
    return null
  }
}

const lines = (path: string): string[] =>
  readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line !== '')

const readStatus = (): Record<string, string> =>
  Object.fromEntries(
    lines('/proc/self/status').flatMap((line) => {
      const [, name, value] = /^(Cap\w+|NoNewPrivs|Seccomp):\s*(\w+)$/.exec(line) ?? []
      return name === undefined || value === undefined ? [] : [[name, value]]
    }),
  )

/** Node asks the kernel; some engines have no /proc/self/limits. */
const readLimits = (): Facts['limits'] => {
  const { userLimits } = process.report.getReport() as { userLimits?: Facts['limits'] }
  return userLimits ?? null
}

const readInterfaces = (): string[] =>
  lines('/proc/net/dev')
    .slice(2)
    .map((line) => line.split(':')[0]?.trim() ?? '')

const readRoutes = (): string[] => {
  const four = attempt(() => lines('/proc/net/route').slice(1)) ?? []
  const six = attempt(() => lines('/proc/net/ipv6_route')) ?? []
  return [...four.filter((line) => !line.startsWith('lo')), ...six.filter((line) => !/\slo$/.test(line))]
}

const readAbstractSockets = (): string[] =>
  lines('/proc/net/unix')
    .slice(1)
    .flatMap((line) => /\s(@\S+)$/.exec(line)?.[1] ?? [])

const readMounts = (): MountFact[] =>
  lines('/proc/mounts').map((line) => {
    const [, target = '', type = '', flags = ''] = line.split(' ')
    return { target, type, flags: flags.split(',') }
  })

const places = [
  '/',
  '/agent',
  '/bin',
  '/dev',
  '/dev/shm',
  '/etc',
  '/proc',
  '/run',
  '/run/gatehouse/session',
  '/run/gatehouse/tools',
  '/sys',
  '/tmp',
  '/workspace',
  '/memory',
  '/shared',
  '/packages',
] as const

const canWrite = (directory: string): boolean => {
  const path = join(directory, '.probe')
  const made = attempt(() => closeSync(openSync(path, 'wx', 0o700))) !== null
  attempt(() => rmSync(path, { force: true }))
  return made
}

/** The file is not a valid program: where execution is allowed, the error is another one. */
const canExecute = (directory: string): boolean => {
  const path = join(directory, '.probe-program')
  const refused = attempt(() => {
    writeFileSync(path, 'no program', { mode: 0o700 })
    const { error } = spawnSync(path, { stdio: 'ignore' })
    return error !== undefined && 'code' in error && error.code === 'EACCES'
  })
  attempt(() => rmSync(path, { force: true }))
  return refused === false
}

const environmentOf = (pid: string): string[] =>
  readFileSync(`/proc/${pid}/environ`, 'utf8')
    .split('\0')
    .flatMap((entry) => (entry === '' ? [] : (entry.split('=')[0] ?? [])))

const readResolvers = (): string[] | null => {
  try {
    return lines('/etc/resolv.conf').flatMap((line) => /^(?:nameserver|search|domain)\s+(.*\S)/.exec(line)?.[1]?.split(/\s+/) ?? [])
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'ENOENT' ? [] : null
  }
}

/** Tries to set it only where none is set, because a set login id cannot be changed. */
const readLoginID = (): Facts['loginID'] => {
  const path = '/proc/self/loginuid'
  if (attempt(() => readFileSync(path, 'utf8')) === null) return 'absent'
  const chosen = attempt(() => {
    writeFileSync(path, '65533')
    return true
  })
  return chosen === null ? 'fixed' : 'settable'
}

const readDescriptors = (): string[] =>
  readdirSync('/proc/self/fd')
    .flatMap((name) => attempt(() => readlinkSync(`/proc/self/fd/${name}`)) ?? [])
    .filter((path) => path.startsWith('/'))

const readProcesses = (): number[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)

/** Names below a directory, two levels deep. */
const list = (directory: string): string[] =>
  readdirSync(directory, { withFileTypes: true }).flatMap((entry) => {
    const path = join(directory, entry.name)
    return entry.isDirectory() ? [path, ...(attempt(() => readdirSync(path).map((name) => join(path, name))) ?? [])] : [path]
  })

const outside = /^\/(proc|dev|sys|tmp|workspace|memory|shared|packages|lib|lib64|usr)\//

const tryConnect = (options: { path: string } | { host: string; port: number }): Promise<string> =>
  new Promise((resolve) => {
    const socket = connect(options)
    socket.on('connect', () => {
      socket.destroy()
      resolve('connected')
    })
    socket.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message))
  })

const trySockets = async (): Promise<Record<string, string>> => {
  const found: Record<string, string> = {}
  for (const surface of ['session', 'model', 'tools']) {
    const path = `/run/gatehouse/${surface}/${surface}.sock`
    found[surface] = await tryConnect({ path })
  }
  return found
}

/** The host checks the owner of this file. */
attempt(() => writeFileSync('/workspace/of-the-probe', 'made inside\n'))

const facts: Facts = {
  uid: process.getuid?.() ?? -1,
  gid: process.getgid?.() ?? -1,
  groups: process.getgroups?.() ?? [],
  status: attempt(readStatus),
  interfaces: attempt(readInterfaces),
  routes: attempt(readRoutes),
  abstractSockets: attempt(readAbstractSockets),
  inet: await tryConnect({ host: '127.0.0.1', port: 9 }),
  mounts: attempt(readMounts),
  writable: places.filter(canWrite),
  executable: places.filter(canExecute),
  tmpBytes: attempt(() => {
    const { blocks, bsize } = statfsSync('/tmp')
    return blocks * bsize
  }),
  environment: attempt(() => environmentOf('self')),
  initEnvironment: attempt(() => environmentOf('1')),
  descriptors: attempt(readDescriptors),
  processes: attempt(readProcesses),
  files: attempt(() => list('/').filter((path) => !outside.test(path))),
  resolvers: readResolvers(),
  loginID: readLoginID(),
  devices: attempt(() => readdirSync('/dev')),
  limits: attempt(readLimits),
  sockets: await trySockets(),
}

process.stdout.write(`${JSON.stringify(facts)}\n`)
