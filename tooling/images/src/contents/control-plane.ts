// What is in the control-plane image: Node, its shared objects, the bundles of a unit without sandboxes, and svcctl. No shell.
import { join } from 'node:path'
import { outputsOf, targets } from '@gatehouse/build/targets'
import type { Architecture } from '../architecture.ts'
import { sharedObjectsOf } from '../elf/shared-objects.ts'
import { copy, directory, type Entry, entriesBelow, text } from '../layer/entry.ts'
import type { LayerPlan } from '../oci/layout.ts'
import type { Sysroot } from '../materials/sysroot.ts'
import { programs } from './programs.ts'
import { agentPrograms } from './sandbox.ts'

/** What runs inside a sandbox, and a server for trying things out. */
const elsewhere: ReadonlySet<string> = new Set([...agentPrograms, 'mcp-sample.mjs'])

/** Every other bundle, so that a new process is never forgotten. */
export const bundles: readonly string[] = targets.flatMap(outputsOf).filter((name) => !elsewhere.has(name))
export const owner = 65_532
export const stateDirectory = '/var/lib/gatehouse/state'
/** Sockets of a boot lie below it: writable by the unit, best a tmpfs. */
export const runtimeDirectory = '/run'

const texts = [
  { path: 'etc/group', content: `root:x:0:\ngatehouse:x:${owner}:\n` },
  { path: 'etc/passwd', content: `root:x:0:0:root:/:/sbin/nologin\ngatehouse:x:${owner}:${owner}:gatehouse:/:/sbin/nologin\n` },
  { path: 'etc/nsswitch.conf', content: 'passwd: files\ngroup: files\nhosts: files dns\n' },
]

export interface ControlPlaneOptions {
  readonly architecture: Architecture
  /** The pinned Node. */
  readonly node: string
  /** Directory of the bundles. */
  readonly release: string
  /** The SQLCipher addon of the architecture. */
  readonly addon: string
  readonly sysroot: Sysroot
}

/** Mount points belong to the unit, so that a fresh volume that takes them over does too. */
const base = async ({ architecture, node, addon, sysroot }: ControlPlaneOptions): Promise<Entry[]> => [
  ...['dev', 'proc', 'sys'].map((path) => directory(path)),
  directory('tmp', 0o1777),
  directory(runtimeDirectory.slice(1), 0o755, owner),
  directory('var/lib/gatehouse', 0o755, owner),
  directory(stateDirectory.slice(1), 0o700, owner),
  ...texts.map(({ path, content }) => text(path, content)),
  // Run, never read: a process of it cannot be dumped, nor its environment be read, even by its own uid.
  copy(node, 'bin/node', 0o711),
  ...(await sharedObjectsOf([node, addon], { architecture, sysroot: sysroot.root })).map(({ source, target }) =>
    copy(source, target.slice(1), 0o755),
  ),
]

const app = async ({ release, addon }: ControlPlaneOptions): Promise<Entry[]> => [
  ...bundles.map((name) => copy(join(release, name), `app/${name}`)),
  copy(addon, 'app/node_sqlite3.node'),
  ...(await entriesBelow(join(release, 'console'), 'app/console')),
  ...(await entriesBelow(join(release, 'svcctl'), 'app/svcctl')),
  ...Object.entries(programs).map(([name, content]) => text(`bin/${name}`, content, 0o755)),
]

export const controlPlaneLayers = async (options: ControlPlaneOptions): Promise<readonly LayerPlan[]> => [
  { what: 'Node and its shared objects', entries: await base(options) },
  { what: 'Gatehouse', entries: await app(options) },
]
