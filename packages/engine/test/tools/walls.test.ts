// A probe in the container of a tool server finds every control, and detects each control that is removed.
// Profile: rest. A matrix of engines for tool servers; tools/engine.test.ts runs each once.
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { limits } from '@gatehouse/contracts'
import type { Facts } from '../../src/seal/facts.ts'
import { evaluateSeal } from '../../src/seal/judge.ts'
import type { ToolHost } from '../../src/tools/arguments.ts'
import { buildToolSite, findHost, rows, type ToolSite } from '../fixtures/tool-site.ts'

interface Seen {
  readonly facts: Facts
  readonly pid: number
  readonly cgroup: string | null
  readonly memory: string | null
  readonly pids: string | null
  readonly cpus: string | null
  readonly hostname: string
  readonly environment: readonly (readonly [string, string])[]
  readonly input: string
}

const isFull = process.env['GATEHOUSE_PROFILE'] === 'full'

/** What gVisor answers by a kernel of its own is not there to be read: it has its own walls in these places. */
const unseen = (host: ToolHost): ReadonlySet<string> =>
  new Set(host.engine.gvisor ? ['no-new-privileges', 'seccomp', 'devices', 'mount-flags', 'cgroup', 'memory', 'pids', 'cpus'] : [])

/** The first process watches the probe, which was started by the server. */
const given = {
  kernel: 'host' as const,
  env: { GATEHOUSE_TEST: '' },
  mounts: [{ source: '', target: '/dev/shm', mode: 'rw' as const }],
  tmpMiB: limits.toolTmpMiB,
}

const isBounded = (text: string | null, most: number): boolean =>
  text !== null && Number(text.split(' ')[0]) > 0 && Number(text.split(' ')[0]) <= most

/** Names of the walls that do not hold. */
const missing = (seen: Seen, host: ToolHost): string[] => {
  const { facts } = seen
  const programs = { ...facts, files: (facts.files ?? []).filter((path) => !/^\/(sbin|dev|run)(\/|$)/.test(path)) }
  const verdicts = evaluateSeal(programs, given)
  const own = {
    'root-flag': facts.mounts?.find(({ target }) => target === '/')?.flags.includes('ro') === true,
    'first-process': seen.pid !== 1,
    memory: isBounded(seen.memory, limits.toolMemoryMiB * 1024 * 1024),
    pids: isBounded(seen.pids, limits.toolPids),
    cpus: isBounded(seen.cpus, limits.toolCpus * 100_000),
    cgroup: (seen.cgroup ?? 'x').split('\n').every((line) => line.endsWith(':/')),
    hostname: seen.hostname === 'tool',
  }
  return [
    ...Object.entries(verdicts).flatMap(([wall, verdict]) => (verdict === 'held' ? [] : [wall])),
    ...Object.entries(own).flatMap(([wall, holds]) => (holds ? [] : [wall])),
  ].filter((wall) => !unseen(host).has(wall))
}

/** Takes `flag` with its value out; another value may take its place. */
const without =
  (flag: string, value?: RegExp, instead: readonly string[] = []) =>
  (args: readonly string[]): string[] => {
    const at = args.findIndex((text, index) => text === flag && (value === undefined || value.test(args[index + 1] ?? '')))
    assert.notEqual(at, -1, `no ${flag} among the arguments`)
    return [...args.slice(0, at), ...instead, ...args.slice(at + (flag === '--init' || flag === '--read-only' ? 1 : 2))]
  }

interface Weakening {
  readonly what: string
  readonly weaken: (args: readonly string[]) => readonly string[]
  readonly caught: string
  /** A kernel of its own shows it too; not the network, which a runtime may refuse by its own settings. */
  readonly gvisor?: boolean
  readonly full?: boolean
  readonly only?: 'docker'
}

const weakenings: readonly Weakening[] = [
  { what: 'the network of the host', weaken: without('--network', /none/, ['--network', 'host']), caught: 'network' },
  { what: 'a root that can be written', weaken: without('--read-only'), caught: 'root-flag', gvisor: true },
  { what: 'the capabilities of the engine', weaken: without('--cap-drop'), caught: 'capabilities', gvisor: true },
  {
    // With our filter alone the runtime cannot even begin.
    what: 'privileges that can be gained',
    weaken: (args) => without('--security-opt', /^seccomp/)(without('--security-opt', /^no-new/)(args)),
    caught: 'no-new-privileges',
  },
  { what: "the engine's own filter", weaken: without('--security-opt', /^seccomp/), caught: 'seccomp' },
  { what: 'the user of the image', weaken: without('--user'), caught: 'identity', gvisor: true },
  { what: 'the cgroups of the host', weaken: without('--cgroupns', /private/, ['--cgroupns', 'host']), caught: 'cgroup' },
  { what: 'any number of processes', weaken: without('--pids-limit', undefined, ['--pids-limit', '-1']), caught: 'pids' },
  { what: 'any share of the processors', weaken: without('--cpus'), caught: 'cpus' },
  {
    what: 'any amount of memory',
    weaken: (args) => without('--memory-swap')(without('--memory')(args)),
    caught: 'memory',
  },
  { what: 'no memory file system at /tmp', weaken: without('--tmpfs'), caught: 'tmp', gvisor: true },
  {
    what: 'a /tmp from which programs run',
    weaken: without('--tmpfs', undefined, ['--tmpfs', `/tmp:rw,exec,size=${limits.toolTmpMiB}m,mode=1777`]),
    caught: 'mount-flags',
  },
  {
    what: 'a /tmp of any size',
    weaken: without('--tmpfs', undefined, ['--tmpfs', '/tmp:rw,noexec,nosuid,nodev,size=512m,mode=1777']),
    caught: 'tmp',
  },
  {
    what: "a /tmp with the owner and mode of the image's",
    weaken: without('--tmpfs', undefined, ['--tmpfs', `/tmp:rw,noexec,nosuid,nodev,size=${limits.toolTmpMiB}m,mode=1777`]),
    caught: 'tmp',
  },
  {
    what: 'the resolver of the host',
    weaken: without('--dns', undefined, ['--dns', '192.0.2.53']),
    caught: 'files',
    gvisor: true,
    only: 'docker',
  },
  {
    what: 'any number of open files',
    weaken: without('--ulimit', /^nofile/, ['--ulimit', 'nofile=2048:2048']),
    caught: 'open-files-limit',
  },
  { what: 'no first process', weaken: without('--init'), caught: 'first-process' },
  {
    what: 'the environment of the host',
    weaken: (args) => ['run', '--env', 'PLANTED=x', ...args.slice(args.indexOf('run') + 1)],
    caught: 'environment',
    gvisor: true,
  },
  {
    what: 'a directory of the host',
    weaken: (args) => ['run', '--volume', '/etc:/srv/etc:ro', ...args.slice(args.indexOf('run') + 1)],
    caught: 'files',
    gvisor: true,
  },
]

for (const row of rows) {
  const host = await findHost(row)
  const skip = typeof host === 'string' ? host : false
  describe(`a tool server by ${row.label}`, { skip, timeout: 300_000 }, () => {
    if (typeof host === 'string') return
    let site: ToolSite
    const look = async (weaken?: Weakening['weaken']): Promise<Seen> => {
      const { code, stdout, stderr } = await site.run({}, weaken)
      assert.equal(code, 0, `${stdout} ${stderr}`)
      return JSON.parse(stdout) as Seen
    }
    before(async () => {
      site = await buildToolSite(host)
    })

    test('finds every control, its input on stdin, and nothing of the host in its environment', async () => {
      const seen = await look()
      assert.deepEqual(missing(seen, host), [])
      assert.equal(seen.input, 'a word on stdin')
      const names = new Map(seen.environment)
      assert.equal(names.get('GATEHOUSE_TEST'), 'a value')
      assert.equal(names.get('HOME'), '/tmp')
      for (const name of names.keys()) assert.match(name, /^(GATEHOUSE_TEST|HOME|PATH|HOSTNAME|TERM|container)$/)
    })

    test('has a stderr separate from its answers', async () => {
      const { stderr } = await site.run()
      assert.equal(stderr, 'a word on stderr\n')
    })

    if (row.label === 'docker-runc' || isFull) {
      test('is ended when it exceeds its memory limit', async () => {
        const { code, stdout } = await site.run({ args: ['/agent/hog-memory.mjs'] })
        assert.notEqual(code, 0)
        const reached = Number(stdout.trim().split('\n').at(-1))
        assert.ok(reached > 0 && reached <= limits.toolMemoryMiB, `it came to ${reached} MiB`)
      })
    }

    for (const { what, weaken, caught, gvisor, only } of weakenings) {
      if (only !== undefined && only !== row.engine) continue
      const isSeen = !host.engine.gvisor || gvisor === true
      if (!isSeen || (row.label !== 'docker-runc' && !isFull)) continue
      test(`is detected with ${what}`, async () => {
        assert.ok(missing(await look(weaken), host).includes(caught), `${caught} was not missed`)
      })
    }
  })
}
