// The tools that an agent brings along itself. Which of them are on is decided for its group and told to it at launch.
import type { BuiltinTool } from '@gatehouse/contracts'
import { fields, list, text } from '../host/fields.ts'
import { runScript } from '../tools/run-script.ts'

/** As data of this bundle, which has no room for the schemas of the host. */
const names: Readonly<Record<BuiltinTool, true>> = {
  read_file: true,
  write_file: true,
  list_dir: true,
  search: true,
  send_message: true,
  read_persona: true,
  remember: true,
  run_script: true,
  request_capability_change: true,
}

export interface Own {
  readonly persona: string
  /** Those that are on. */
  readonly tools: readonly string[]
  /** Those that are on for the group and cannot be used in this unit: the reason by name. */
  readonly unavailable: Readonly<Record<string, unknown>>
}

/** Resolves with why the host will not take it. */
export type Say = (text: string, files: readonly string[]) => Promise<string | undefined>

export const isBuiltin = (name: string): boolean => Object.hasOwn(names, name)

export const listBuiltins = ({ tools }: Own): string => tools.toSorted().join(', ') || 'none'

/** The mock agent knows its instructions, and leaves the rest to an agent with a model. */
/** Why a tool that is not in the list cannot be called. */
const refusalOf = (name: string, { unavailable }: Pick<Own, 'unavailable'>): string => {
  const reason = text(unavailable[name])
  if (reason === undefined) return `refused: ${name} is turned off for this group (not-enabled)`
  return `refused: ${name} is not available: ${reason} (no-sandbox)`
}

export const callBuiltin = async (
  { persona, tools, unavailable, say }: Own & { readonly say: Say },
  name: string,
  args: unknown,
): Promise<string> => {
  if (!tools.includes(name)) return refusalOf(name, { unavailable })
  if (name === 'run_script') return JSON.stringify(await runScript(args))
  if (name === 'send_message') {
    const { text: said, files } = fields(args)
    const refusal = await say(
      text(said) ?? '',
      list(files).flatMap((path) => text(path) ?? []),
    )
    return refusal === undefined ? 'sent' : `refused: ${refusal}`
  }
  return name === 'read_persona' ? persona : `failed: the mock agent does nothing with ${name}`
}
