// Builds both images, for each architecture that is asked for, as OCI layouts with their lists of parts beside them.
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Architecture, architectures } from './architecture.ts'
import { bundles, controlPlaneLayers } from './contents/control-plane.ts'
import { checkMachine, partsOf } from './contents/parts.ts'
import { agentPrograms, sandboxLayers } from './contents/sandbox.ts'
import { text } from './layer/entry.ts'
import { pinnedNode } from './materials/node.ts'
import { sysrootOf } from './materials/sysroot.ts'
import type { ImageName } from './names.ts'
import { type ImagePlan, type LayerPlan, type MadeLayout, writeLayout } from './oci/layout.ts'
import { controlPlaneSettings, labelsOf, type LabelOptions, sandboxSettings } from './settings.ts'

export interface BuildOptions extends LabelOptions {
  readonly names: readonly ImageName[]
  readonly architectures: readonly Architecture[]
  /** Directory of the bundles. */
  readonly release: string
  /** A layout each below it, replaced. */
  readonly out: string
  /** For what is fetched for another architecture. */
  readonly cache: string
  /** The SQLCipher addon of an architecture; the control plane is made for those that have one. */
  readonly addons: Readonly<Partial<Record<Architecture, string>>>
  /** RFC 3339. */
  readonly created: string
  readonly compressed: boolean
}

interface Planned extends ImagePlan {
  readonly parts: string
}

const partsFile = 'usr/share/sbom/gatehouse.cdx.json'

const plan = async (name: ImageName, architecture: Architecture, options: BuildOptions): Promise<Planned> => {
  const { release, cache, version, addons } = options
  const [node, sysroot] = [(await pinnedNode(architecture, cache)).file, await sysrootOf(architecture, cache)]
  const given = { architecture, node, release, sysroot }
  const addon = addons[architecture] ?? ''
  const layers = name === 'sandbox' ? await sandboxLayers(given) : await controlPlaneLayers({ ...given, addon })
  await checkMachine(layers, architectures[architecture].machine)
  const programs = name === 'sandbox' ? agentPrograms : [...bundles, 'console', 'svcctl']
  const parts = await partsOf(layers, { name: `gatehouse-${name}`, version, release, sysroot, programs })
  const withParts: LayerPlan[] = layers.map((layer, index) =>
    index === layers.length - 1 ? { ...layer, entries: [...layer.entries, text(partsFile, parts)] } : layer,
  )
  const labels = labelsOf(name, options)
  return { architecture, layers: withParts, parts, settings: name === 'sandbox' ? sandboxSettings(labels) : controlPlaneSettings(labels) }
}

/** The control plane is left out for an architecture without an addon. */
const wantedFor = (name: ImageName, { architectures: all, addons }: BuildOptions): readonly Architecture[] =>
  name === 'sandbox' ? all : all.filter((one) => addons[one] !== undefined)

export type Built = ReadonlyMap<ImageName, MadeLayout>

export const buildImages = async (options: BuildOptions): Promise<Built> => {
  await mkdir(options.out, { recursive: true })
  const built = new Map<ImageName, MadeLayout>()
  for (const name of options.names) {
    const plans: Planned[] = []
    for (const architecture of wantedFor(name, options)) plans.push(await plan(name, architecture, options))
    if (plans.length === 0) continue
    built.set(name, await writeLayout(join(options.out, name), plans, options))
    for (const { architecture, parts } of plans) await writeFile(join(options.out, `${name}-${architecture}.cdx.json`), parts)
  }
  return built
}
