// The table of flags and variables of the daemon, and warnings for settings that have no effect.
import { exits } from '@gatehouse/contracts'
import { Refusal, type Settings } from '@gatehouse/kernel'
import { channelSettings } from './channels.ts'
import { modelSettings, providerSettings } from './models.ts'
import type { Plan } from './plan.ts'
import { sandboxSettings } from './settings/sandboxes.ts'
import type { DocumentedSetting } from './settings/parse.ts'
import { unitSettings } from './settings/unit.ts'

export const table = { ...unitSettings, ...sandboxSettings, ...modelSettings }

/** Every setting that the help names: those of providers and channels are read by their own files. */
export const allSettings: readonly DocumentedSetting[] = [...Object.values(table), ...providerSettings, ...channelSettings]

/** For clients of the unit; the daemon ignores them. */
export const clientVariables = ['SERVICE_API_URL']

type Name = keyof typeof table
type Origins = Settings<typeof table>['origins']

/** Settings that change nothing in this unit, since what they are about is off. A flag was meant for this start, so it is refused; a
 * variable may be shared by several units, so it is a warning. */
interface Rule {
  readonly names: readonly Name[]
  readonly isOff: (plan: Plan) => boolean
  readonly why: string
  /** What turns it on. */
  readonly fix: string
}

const rules: readonly Rule[] = [
  {
    names: ['mcpIsolation', 'mcpEngine', 'mcpRuntime', 'mcpImage', 'mcpPinning', 'mcpEnv', 'mcpEndpoint'],
    isOff: ({ catalog }) => catalog === null,
    why: 'this unit has no tool servers',
    fix: 'add --mcp-catalog FILE',
  },
  {
    names: ['mcpEngine', 'mcpRuntime', 'mcpImage'],
    isOff: ({ catalog, isolation }) => catalog !== null && isolation === 'none',
    why: 'local tool servers run without containers',
    fix: 'add --mcp-isolation container',
  },
  {
    names: ['sandboxEngine'],
    isOff: ({ sandbox }) => sandbox !== 'auto' && sandbox !== 'container',
    why: 'sandboxes are not run by a container engine',
    fix: 'add --sandbox container',
  },
]

/** Returns warnings for variables. `Refusal` 78 for flags. The halves of a split unit share their flags, and each uses some. */
export const checkEffect = (plan: Plan, origins: Origins): string[] => {
  if (plan.split !== null) return []
  const idle = rules
    .filter(({ isOff }) => isOff(plan))
    .flatMap(({ names, ...rule }) => names.map((name) => ({ ...table[name], ...rule, name })))
  for (const row of idle) {
    if (!('flag' in row) || origins[row.name] !== 'flag') continue
    throw new Refusal(exits.configuration, {
      detail: `--${row.flag} has no effect: ${row.why}`,
      hint: `${row.fix}, or leave out --${row.flag}`,
    })
  }
  return idle
    .filter(({ name }) => origins[name] === 'env')
    .map(({ env, why, fix }) => `${env} has no effect: ${why}; ${fix}, or unset ${env}`)
}
