// Reads the command line of a client's server: which package or image it starts, and with which arguments.

export interface Program {
  readonly command: string
  readonly args: readonly string[]
}

export interface Launch {
  readonly kind: 'npm' | 'pypi' | 'oci' | 'program'
  /** As `svcctl mcp pack` takes it. Absent for a program. */
  readonly package?: string
  /** Of the package, where the command line names it. */
  readonly bin?: string
  readonly command: string
  readonly args: readonly string[]
  /** `docker run -e`; null where the value is the client's own. */
  readonly env: Readonly<Record<string, string | null>>
  /** As `svcctl mcp add` takes them. */
  readonly volumes: readonly string[]
  readonly notes: readonly string[]
}

const plain = { env: {}, volumes: [], notes: [] } as const

const baseOf = (command: string): string => (/[^/\\]+$/.exec(command)?.[0] ?? command).toLowerCase().replace(/\.(?:exe|cmd|bat)$/, '')

/** `cmd /c npx …`, as configurations for Windows have it. */
const unwrap = ({ command, args }: Program): Program => {
  const [first = '', second, ...rest] = args
  return baseOf(command) === 'cmd' && /^\/c$/i.test(first) && second !== undefined
    ? unwrap({ command: second, args: rest })
    : { command, args }
}

interface Options {
  /** Value of the first of the named options that is there. */
  readonly value: string | undefined
  readonly unknown: readonly string[]
  /** From the first word that is no option. */
  readonly rest: readonly string[]
}

interface Known {
  /** Options without a value. */
  readonly flags: ReadonlySet<string>
  /** Options with a value that is not kept. */
  readonly valued: ReadonlySet<string>
  /** Options whose value is the result. */
  readonly wanted: ReadonlySet<string>
}

const readOptions = (args: readonly string[], { flags, valued, wanted }: Known): Options => {
  let value: string | undefined
  const unknown: string[] = []
  for (let at = 0; at < args.length; at += 1) {
    const word = args[at] ?? ''
    if (word === '--') return { value, unknown, rest: args.slice(at + 1) }
    if (!word.startsWith('-')) return { value, unknown, rest: args.slice(at) }
    const [name = '', ...joined] = word.split('=')
    const hasValue = wanted.has(name) || valued.has(name)
    const given = joined.length > 0 ? joined.join('=') : hasValue ? args[(at += 1)] : undefined
    if (wanted.has(name)) value ??= given
    else if (!flags.has(name)) unknown.push(name)
  }
  return { value, unknown, rest: [] }
}

const leftOut = (unknown: readonly string[]): string[] => (unknown.length === 0 ? [] : [`left out: ${[...new Set(unknown)].join(', ')}`])

const exactVersion = /^\d+\.\d+\.\d+(?:[-+][\w.+-]+)?$/

const npmLaunch = (args: readonly string[]): Omit<Launch, 'command'> | undefined => {
  const { value, unknown, rest } = readOptions(args, {
    flags: new Set(['-y', '--yes', '-q', '--quiet', '--bun', '--silent']),
    valued: new Set(['--registry']),
    wanted: new Set(['-p', '--package']),
  })
  const [first, ...others] = rest
  const spec = value ?? first
  if (spec === undefined || !/^(?:@[\w.-]+\/)?[\w.-]+(?:@[^@/]+)?$/.test(spec)) return undefined
  const at = spec.lastIndexOf('@')
  const [name, version] = at > 0 ? [spec.slice(0, at), spec.slice(at + 1)] : [spec, '']
  const isExact = exactVersion.test(version)
  return {
    ...plain,
    kind: 'npm',
    package: `npm:${name}@${isExact ? version : 'VERSION'}`,
    ...(value === undefined || first === undefined ? {} : { bin: first }),
    args: others,
    notes: [...(isExact ? [] : [`names no exact version: npm view ${name} version tells the latest`]), ...leftOut(unknown)],
  }
}

const pypiLaunch = (args: readonly string[]): Omit<Launch, 'command'> | undefined => {
  const { value, unknown, rest } = readOptions(args, {
    flags: new Set(['-q', '--quiet', '--isolated', '--no-cache', '--refresh', '--offline', '--no-config']),
    valued: new Set(['--with', '--python', '-p', '--index', '--index-url', '--default-index', '--extra-index-url']),
    wanted: new Set(['--from', '--spec']),
  })
  const [first, ...others] = rest
  const spec = value ?? first
  const [, name, version = ''] = /^([A-Za-z0-9][\w.-]*(?:\[[\w.,-]+\])?)(?:(?:@|==)([\w.!+-]+))?$/.exec(spec ?? '') ?? []
  if (name === undefined) return undefined
  const isExact = /^\d/.test(version)
  return {
    ...plain,
    kind: 'pypi',
    package: isExact ? `pypi:${name}@${version}` : `pypi:${name}`,
    ...(value === undefined || first === undefined ? {} : { bin: first }),
    args: others,
    notes: [...(isExact ? [] : ['names no exact version: the command names the newest']), ...leftOut(unknown)],
  }
}

/** Of `docker run`; every other option has a value. */
const dockerFlags = new Set(
  '-i -t -it -ti -d --interactive --tty --rm --init --detach --privileged --read-only --no-healthcheck --sig-proxy -P --publish-all --quiet -q'.split(
    ' ',
  ),
)
/** Options that change nothing of what the unit decides itself. */
const dockerIgnored = new Set(
  '--name --pull --platform --label -l --log-driver --hostname -h --user -u --workdir -w --memory -m --cpus --pids-limit'.split(' '),
)

/** `-v SOURCE:TARGET:MODE`, or `--mount type=bind,src=…,dst=…,readonly`. */
const volumeOf = (option: string, value: string): string | undefined => {
  if (option !== '--mount') {
    const [source = '', target, mode] = value.split(':')
    return source.startsWith('/') && target !== undefined ? `${source}:${target}:${/\bro\b/.test(mode ?? '') ? 'ro' : 'rw'}` : undefined
  }
  const parts = new Map(value.split(',').map((part): [string, string] => [part.split('=')[0] ?? '', part.split('=').slice(1).join('=')]))
  const [source, target] = [parts.get('source') ?? parts.get('src'), parts.get('target') ?? parts.get('dst') ?? parts.get('destination')]
  if (parts.get('type') !== 'bind' || source === undefined || target === undefined || !source.startsWith('/')) return undefined
  return `${source}:${target}:${parts.has('readonly') || parts.has('ro') ? 'ro' : 'rw'}`
}

interface Docker {
  readonly env: Record<string, string | null>
  readonly volumes: string[]
  readonly dropped: string[]
  bin: string | undefined
}

const takeOption = (docker: Docker, option: string, value: string): void => {
  const volume = ['-v', '--volume', '--mount'].includes(option) ? volumeOf(option, value) : undefined
  if (option === '-e' || option === '--env') {
    const [name = '', ...rest] = value.split('=')
    docker.env[name] = rest.length > 0 ? rest.join('=') : null
  } else if (option === '--entrypoint') docker.bin = value
  else if (volume !== undefined) docker.volumes.push(volume)
  else if (!dockerIgnored.has(option)) docker.dropped.push(option)
}

const ociLaunch = (args: readonly string[]): Omit<Launch, 'command'> | undefined => {
  const docker: Docker = { env: {}, volumes: [], dropped: [], bin: undefined }
  let at = 0
  for (; at < args.length; at += 1) {
    const word = args[at] ?? ''
    if (!word.startsWith('-')) break
    const [name = '', ...joined] = word.split('=')
    if (name === '--privileged') docker.dropped.push(name)
    if (!dockerFlags.has(name)) takeOption(docker, name, joined.length > 0 ? joined.join('=') : (args[(at += 1)] ?? ''))
  }
  const [image, ...rest] = args.slice(at)
  if (image === undefined || !/^[A-Za-z0-9][^\s]*$/.test(image)) return undefined
  const { env, volumes, dropped, bin } = docker
  return { kind: 'oci', package: `oci:${image}`, ...(bin === undefined ? {} : { bin }), args: rest, env, volumes, notes: leftOut(dropped) }
}

/** What a runner of packages is followed by, up to its own options. */
const runners: readonly (readonly [words: readonly string[], read: (args: readonly string[]) => Omit<Launch, 'command'> | undefined])[] = [
  [['npx'], npmLaunch],
  [['bunx'], npmLaunch],
  [['pnpx'], npmLaunch],
  [['npm', 'exec'], npmLaunch],
  [['pnpm', 'dlx'], npmLaunch],
  [['yarn', 'dlx'], npmLaunch],
  [['uvx'], pypiLaunch],
  [['uv', 'tool', 'run'], pypiLaunch],
  [['pipx', 'run'], pypiLaunch],
  [['docker', 'run'], ociLaunch],
  [['docker', 'container', 'run'], ociLaunch],
  [['podman', 'run'], ociLaunch],
]

/** What is not the command line of a known runner is a program. */
export const readLaunch = (program: Program): Launch => {
  const { command, args } = unwrap(program)
  const words = [baseOf(command), ...args]
  for (const [start, read] of runners) {
    const launch = start.every((word, index) => words[index] === word) ? read(words.slice(start.length)) : undefined
    if (launch !== undefined) return { ...launch, command }
  }
  return { ...plain, kind: 'program', command, args }
}
