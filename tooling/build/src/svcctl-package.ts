// What oclif reads of a bundled svcctl before it loads a command: its package and the manifest of its commands.
import { Plugin, settings } from '@oclif/core'

interface Package {
  readonly name: string
  readonly version: string
  readonly description: string
  readonly type: string
  readonly dependencies: Readonly<Record<string, string>>
  readonly oclif: Readonly<Record<string, unknown>> & { readonly plugins: readonly string[] }
}

/** Out of the package of the sources. */
export const packageOf = (text: string): Package => {
  const { name, version, description, type, dependencies, oclif } = JSON.parse(text) as Package
  const hooks = { command_not_found: { target: './not-found.js', identifier: 'notFound' } }
  return { name, version, description, type, dependencies, oclif: { ...oclif, commands: './commands', hooks } }
}

/** Statics of a command that no help page needs. */
const unneeded: ReadonlySet<string> = new Set(['environment', 'result'])

/** Names, flags and summaries of every command in a bundle. */
export const manifestOf = async (folder: string): Promise<string> => {
  settings.enableAutoTranspile = false
  const plugin = new Plugin({ root: folder, isRoot: true, ignoreManifest: true, errorOnManifestCreate: true, respectNoCacheDefault: true })
  await plugin.load()
  const commands = Object.entries(plugin.manifest.commands).map(([id, command]) => [
    id,
    Object.fromEntries(Object.entries(command).filter(([name]) => !unneeded.has(name))),
  ])
  return JSON.stringify({ ...plugin.manifest, commands: Object.fromEntries(commands) })
}
