// svcctl mcp pack: on the host, without a unit.
import { containerEngines, LocalEntry, LockedPackage, ServiceError } from '@gatehouse/contracts'
import { Args, Flags } from '@oclif/core'
import * as v from 'valibot'
import { SvcctlCommand } from '../../command.ts'
import { withProgress } from '../../output/progress.ts'
import { type Column, table } from '../../output/table.ts'
import { pack, parseSpec } from '../../packing/pack.ts'

const McpPacked = v.strictObject({
  packages: v.array(LockedPackage),
  /** Bytes of all files. */
  bytes: v.number(),
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

/** What a tree is refused for is the caller's to read; its library is loaded by this command alone, so it is told by its rule. */
const asInvalid = (error: unknown): Error => {
  if (!(error instanceof Error) || !('rule' in error)) throw error
  return new ServiceError('invalid', { detail: error.message, cause: error })
}

export class McpPack extends SvcctlCommand<McpPacked> {
  static override summary = 'Make an image of a tool server that is published on npm, and print its catalog entry.'
  static override description =
    'Resolves the whole tree, verifies every tarball and runs no script of any package; the image holds the packages and Node, nothing else. Local servers have no network, so what `npx` would start has to be packed first. Needs a container engine, no unit.'

  static override result = McpPacked
  static override examples = [
    'svcctl mcp pack npm:@scope/server@1.2.3',
    'svcctl mcp pack npm:@scope/server@1.2.3 --engine podman --arg /data > entry.json',
  ]

  static override args = { package: Args.string({ description: 'npm:<name>@<exact version>', required: true }) }

  static override flags = {
    engine: Flags.string({
      summary: 'Container engine that takes the image; default the first that works.',
      options: [...containerEngines],
    }),
    registry: Flags.string({
      summary: 'Registry that everything comes from.',
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
    'dry-run': Flags.boolean({ summary: 'Only show the tree.' }),
  }

  async run(): Promise<McpPacked> {
    const { args, flags } = await this.parse(McpPack)
    const wanted = parseSpec(args.package)
    const registry = { url: flags.registry.endsWith('/') ? flags.registry : `${flags.registry}/` }
    const { resolveTree } = await import('@gatehouse/npm-tree')
    const lock = await withProgress('Resolving packages', () => resolveTree([wanted.spec], registry)).catch((error: unknown) => {
      throw asInvalid(error)
    })
    this.say(table(columns, lock.packages, process.stderr).trimEnd())
    const { packages, bytes } = lock
    if (flags['dry-run']) return { packages, bytes }
    const engine = containerEngines.find((name) => name === flags.engine) ?? null
    const { image, entry } = await withProgress('Downloading packages and building the image', () =>
      pack({ wanted, lock, registry, engine, bin: flags.bin, args: flags.arg ?? [] }),
    ).catch((error: unknown) => {
      throw asInvalid(error)
    })
    this.say(`${image.image} is in ${image.engine} as ${image.id}.`)
    this.print(JSON.stringify(entry, null, 2))
    this.remark(
      `Try: svcctl mcp add NAME --command ${entry.command} ${entry.args.map((arg) => `--arg ${arg}`).join(' ')} --image ${image.image}`,
    )
    return { packages, bytes, image, entry }
  }
}
