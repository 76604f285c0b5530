// svcctl completion
import * as v from 'valibot'
import { SvcctlCommand } from '../command.ts'
import { shells, type Surface } from '../completion/shells.ts'
import type { CommandTable } from '../dispatch/table.ts'
import { flagsOf } from '../help/command.ts'
import { Args } from '../oclif.ts'

const Script = v.strictObject({ shell: v.picklist(['bash', 'zsh', 'fish']), script: v.string() })
type Script = v.InferOutput<typeof Script>

const surfaceOf = async (table: CommandTable): Promise<Surface> =>
  Object.fromEntries(
    await Promise.all(
      Object.entries(table).map(async ([id, load]): Promise<[string, string[]]> => [
        id.replaceAll(':', ' '),
        ['--json', '--help', ...flagsOf(await load()).map(([name]) => `--${name}`)],
      ]),
    ),
  )

export class Completion extends SvcctlCommand<Script> {
  static override summary = 'Print a script that completes commands and flags in your shell.'
  static override description =
    'bash: add eval "$(svcctl completion bash)" to ~/.bashrc. zsh: the same with zsh in ~/.zshrc, behind compinit. fish: svcctl completion fish > ~/.config/fish/completions/svcctl.fish'
  static override result = Script
  static override examples = ['svcctl completion bash', 'svcctl completion zsh', 'svcctl completion fish']

  static override args = { shell: Args.string({ description: 'bash, zsh or fish.', options: ['bash', 'zsh', 'fish'], required: true }) }

  async run(): Promise<Script> {
    const { args } = await this.parse(Completion)
    const { commands } = await import('./index.ts')
    const shell = v.parse(Script.entries.shell, args.shell)
    const surface = await surfaceOf({ ...commands, completion: () => Promise.resolve(Completion) })
    const script = shells[shell](surface)
    this.print(script)
    return { shell, script }
  }
}
