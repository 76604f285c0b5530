// svcctl mcp pack: on the host, without a unit.
import { type ContainerEngine, containerEngines, LocalEntry, LockedPackage, ServiceError } from '@gatehouse/contracts'
import type { MadeImage } from '@gatehouse/engine'
import { PythonWheel } from '@gatehouse/python-tree'
import { Args, Flags } from '@oclif/core'
import * as v from 'valibot'
import { entryFlags, type EntryFlags, toLocalEntry } from '../../catalog/entry.ts'
import { SvcctlCommand } from '../../command.ts'
import { withProgress } from '../../output/progress.ts'
import { type Column, table } from '../../output/table.ts'
import { describeImage, type ImageFact, programOf } from '../../packing/oci.ts'
import { pack, parseSpec } from '../../packing/pack.ts'
import { fetchPythonTree, makePythonImage, withDirectory } from '../../packing/pypi.ts'
import { type PackRequest, parseRequest } from '../../packing/request.ts'

const Pulled = v.strictObject({
  platform: v.string(),
  user: v.string(),
  entrypoint: v.array(v.string()),
  command: v.array(v.string()),
  /** Names of the variables that the image sets. */
  variables: v.array(v.string()),
  labels: v.record(v.string(), v.string()),
})

const McpPacked = v.strictObject({
  /** Of npm, or wheels of PyPI; none for a published image. */
  packages: v.union([v.array(LockedPackage), v.array(PythonWheel)]),
  /** Bytes of all files. */
  bytes: v.number(),
  /** The Python of the image, with the checksum of its archive. */
  python: v.optional(v.strictObject({ version: v.string(), sha256: v.string() })),
  /** What a published image says about itself. */
  source: v.optional(Pulled),
  /** Absent with `--dry-run`. */
  image: v.optional(v.strictObject({ engine: v.string(), image: v.string(), id: v.string() })),
  entry: v.optional(LocalEntry),
})
type McpPacked = v.InferOutput<typeof McpPacked>

const listed = (names: readonly string[]): string => (names.length === 0 ? '-' : names.join(', '))

const columns: readonly Column<LockedPackage>[] = [
  { name: 'PACKAGE', value: ({ path }) => path.replaceAll('node_modules/', '') },
  { name: 'VERSION', value: ({ version }) => version },
  { name: 'SCRIPTS', value: ({ scripts }) => listed(scripts), flexible: true },
  { name: 'MACHINE-CODE', value: ({ binaries }) => listed(binaries), flexible: true, below: true },
  { name: 'INTEGRITY', value: ({ integrity }) => integrity, drop: 1 },
]

const wheelColumns: readonly Column<PythonWheel>[] = [
  { name: 'PACKAGE', value: ({ name }) => name },
  { name: 'VERSION', value: ({ version }) => version },
  { name: 'WHEEL', value: ({ tags }) => listed(tags), flexible: true },
  { name: 'MACHINE-CODE', value: ({ binaries }) => listed(binaries), flexible: true, below: true },
]

const factColumns: readonly Column<ImageFact>[] = [
  { name: 'FACT', value: ({ name }) => name },
  { name: 'VALUE', value: ({ value }) => value, flexible: true, below: true },
]

/** What a tree is refused for is the caller's to read; its library is loaded by this command alone, so it is told by its rule. */
const asInvalid = (error: unknown): Error => {
  if (!(error instanceof Error) || !('rule' in error)) throw error
  return new ServiceError('invalid', { detail: error.message, cause: error })
}

const engineOf = ({ engine }: PackFlags): ContainerEngine | null => containerEngines.find((name) => name === engine) ?? null

interface PackFlags extends Pick<EntryFlags, 'arg' | 'env' | 'volume' | 'data'> {
  readonly engine?: string | undefined
  readonly registry: string
  readonly bin?: string | undefined
  readonly entrypoint?: string | undefined
  readonly program?: string[] | undefined
  readonly python?: string | undefined
  readonly 'python-sha256'?: string | undefined
  readonly 'dry-run': boolean
}

export class McpPack extends SvcctlCommand<McpPacked> {
  static override summary =
    'Make an image of a tool server that is published on npm or PyPI, or take a published image, and print its catalog entry.'
  static override description =
    'Resolves the whole tree, verifies every package by its hash and runs nothing of any package; the image holds the packages and Node or Python. A published image is taken as it is, by its digest. Local servers have no network, so what `npx`, `uvx` or `docker run` would start has to be packed first. Needs a container engine, for PyPI also uv, no unit.'

  static override result = McpPacked
  static override examples = [
    'svcctl mcp pack npm:@scope/server@1.2.3',
    'svcctl mcp pack npm:@scope/server@1.2.3 --engine podman --arg /data > entry.json',
    'svcctl mcp pack pypi:mcp-server-time@2026.10.19 --arg=--local-timezone --arg UTC',
    "svcctl mcp pack 'uvx mcp-server-git@2026.10.19 --repository /repo' --program /usr/bin/git --volume /srv/repo:/repo",
    { description: 'A published image', command: 'svcctl mcp pack oci:registry.example.org/server@sha256:DIGEST' },
  ]

  static override args = {
    package: Args.string({
      description: 'npm:<name>@<version>, pypi:<name>@<version>, oci:<name>@sha256:<digest>, or a command line of npx, uvx or docker run.',
      required: true,
    }),
  }

  static override flags = {
    engine: Flags.string({
      summary: 'Container engine that takes the image; default the first that works.',
      options: [...containerEngines],
    }),
    registry: Flags.string({
      summary: 'Registry that packages of npm come from; for PyPI, uv has its own settings.',
      helpValue: 'URL',
      env: 'SERVICE_NPM_REGISTRY',
      default: 'https://registry.npmjs.org/',
    }),
    bin: Flags.string({ summary: 'Program of the package, where it has several.', helpValue: 'NAME' }),
    arg: Flags.string({
      summary: 'Argument of the server in the entry; may be given several times.',
      helpValue: 'TEXT',
      multiple: true,
      multipleNonGreedy: true,
    }),
    env: entryFlags.env,
    volume: entryFlags.volume,
    data: entryFlags.data,
    entrypoint: Flags.string({ summary: 'Program of a published image, instead of its own.', helpValue: 'PROGRAM' }),
    program: Flags.string({
      summary: 'Program of this host that a server of PyPI starts, such as git; repeatable.',
      helpValue: 'PATH',
      multiple: true,
      multipleNonGreedy: true,
    }),
    python: Flags.string({ summary: 'Archive of python-build-standalone on this host, instead of the download.', helpValue: 'FILE' }),
    'python-sha256': Flags.string({
      summary: 'Checksum of that archive, where it is not of the pinned release.',
      helpValue: 'HEX',
      dependsOn: ['python'],
    }),
    'dry-run': Flags.boolean({ summary: 'Only show the tree.' }),
  }

  async run(): Promise<McpPacked> {
    const { args, flags } = await this.parse(McpPack)
    const request = parseRequest(args.package)
    if (request.kind === 'npm') return await this.#packNpm(request, flags)
    return await (request.kind === 'pypi' ? this.#packPython(request, flags) : this.#takeImage(request, flags))
  }

  async #packNpm({ spec, bin, args }: PackRequest, flags: PackFlags): Promise<McpPacked> {
    const wanted = parseSpec(`npm:${spec}`)
    const registry = { url: flags.registry.endsWith('/') ? flags.registry : `${flags.registry}/` }
    const { resolveTree } = await import('@gatehouse/npm-tree')
    const lock = await withProgress('Resolving packages', () => resolveTree([wanted.spec], registry)).catch((error: unknown) => {
      throw asInvalid(error)
    })
    this.say(table(columns, lock.packages, process.stderr).trimEnd())
    const { packages, bytes } = lock
    if (flags['dry-run']) return { packages, bytes }
    const {
      image,
      command,
      args: own,
    } = await withProgress('Downloading packages and building the image', () =>
      pack({ wanted, lock, registry, engine: engineOf(flags), bin: flags.bin ?? bin }),
    ).catch((error: unknown) => {
      throw asInvalid(error)
    })
    return { packages, bytes, image, entry: this.#finish(image, [command, ...own, ...args], flags) }
  }

  async #packPython({ spec, bin, args }: PackRequest, flags: PackFlags): Promise<McpPacked> {
    const archive = flags.python === undefined ? undefined : { file: flags.python, sha256: flags['python-sha256'] }
    const { parsePythonSpec } = await import('@gatehouse/python-tree')
    return await withDirectory(async (work) => {
      const options = { spec: parsePythonSpec(spec), archive, environment: this.environment, work }
      const tree = await withProgress('Resolving and downloading packages', () => fetchPythonTree(options))
      const { packages, bytes, python } = tree
      this.say(table(wheelColumns, packages, process.stderr).trimEnd())
      this.say(`${packages.length} packages, ${bytes} bytes, for Python ${python.version}.`)
      const known = { packages: [...packages], bytes, python: { version: python.version, sha256: python.sha256 } }
      if (flags['dry-run']) return known
      const {
        image,
        command,
        args: own,
      } = await withProgress('Building the image', () =>
        makePythonImage({ tree, work, engine: engineOf(flags), bin: flags.bin ?? bin, programs: flags.program ?? [] }),
      )
      return { ...known, image, entry: this.#finish(image, [command, ...own, ...args], flags) }
    })
  }

  async #takeImage({ spec, bin, args }: PackRequest, flags: PackFlags): Promise<McpPacked> {
    const { pullImage } = await import('@gatehouse/engine')
    const pulled = await withProgress('Pulling the image', () => pullImage(spec, engineOf(flags)))
    this.say(table(factColumns, describeImage(pulled), process.stderr).trimEnd())
    const { platform, user, entrypoint, command, variables, labels, bytes, engine, image, id } = pulled
    const source = { platform, user, entrypoint: [...entrypoint], command: [...command], variables: [...variables], labels: { ...labels } }
    const known = { packages: [], bytes, source }
    const program = programOf(pulled, { entry: flags.entrypoint ?? bin, args: [...args, ...(flags.arg ?? [])] })
    if (flags['dry-run']) return known
    const made = { engine, image, id }
    return { ...known, image: made, entry: this.#finish(made, [program.command, ...program.args], { ...flags, arg: [] }) }
  }

  /** Prints the entry, and the command that adds it. */
  #finish({ engine, image, id }: MadeImage, [command = '', ...own]: readonly string[], flags: PackFlags): LocalEntry {
    const entry = toLocalEntry({
      command,
      arg: [...own, ...(flags.arg ?? [])],
      env: flags.env,
      volume: flags.volume,
      data: flags.data,
      image,
    })
    this.say(`${image} is in ${engine} as ${id}.`)
    this.print(JSON.stringify(entry, null, 2))
    this.remark(`Save what was printed as entry.json. Try: svcctl mcp add NAME --file entry.json`)
    return entry
  }
}
