// What is in the sandbox image: the root file system that the engine assembles on a host, for either architecture.
import { join } from 'node:path'
import { rootfsDirectories, rootfsTexts } from '@gatehouse/engine'
import type { Architecture } from '../architecture.ts'
import { sharedObjectsOf } from '../elf/shared-objects.ts'
import { copy, directory, text } from '../layer/entry.ts'
import type { Sysroot } from '../materials/sysroot.ts'
import type { LayerPlan } from '../oci/layout.ts'

/** Bundles that run inside a sandbox. */
export const agentPrograms = ['agent.mjs', 'model.mjs', 'npm-tree.mjs', 'probe.mjs', 'load.mjs'] as const

export interface SandboxOptions {
  readonly architecture: Architecture
  readonly node: string
  readonly release: string
  readonly sysroot: Sysroot
}

export const sandboxLayers = async ({ architecture, node, release, sysroot }: SandboxOptions): Promise<readonly LayerPlan[]> => [
  {
    what: 'Node and its shared objects',
    entries: [
      ...rootfsDirectories.map(({ path, mode }) => directory(path, mode)),
      ...rootfsTexts.map((one) => text(one.path, one.text)),
      copy(node, 'bin/node', 0o755),
      ...(await sharedObjectsOf([node], { architecture, sysroot: sysroot.root })).map(({ source, target }) =>
        copy(source, target.slice(1), 0o755),
      ),
    ],
  },
  { what: 'the agent of Gatehouse', entries: agentPrograms.map((name) => copy(join(release, name), `agent/${name}`)) },
]
