// svcctl completion
import { join } from 'node:path'
import { Args } from '@oclif/core'
import * as v from 'valibot'
import { SvcctlCommand } from '../command.ts'

const Script = v.strictObject({ shell: v.picklist(['bash', 'zsh']), script: v.string() })
type Script = v.InferOutput<typeof Script>

export class Completion extends SvcctlCommand<Script> {
  static override summary = 'Print the line that completes commands and flags in your shell.'
  static override description =
    'bash: add eval "$(svcctl completion bash)" to ~/.bashrc. zsh: the same with zsh in ~/.zshrc. What is completed is written to the cache of svcctl each time, as by svcctl autocomplete, which knows PowerShell too.'
  static override result = Script
  static override examples = ['svcctl completion bash', 'svcctl completion zsh']

  static override args = { shell: Args.string({ description: 'bash or zsh.', options: ['bash', 'zsh'], required: true }) }

  async run(): Promise<Script> {
    const { args } = await this.parse(Completion)
    const shell = v.parse(Script.entries.shell, args.shell)
    await this.config.runCommand('autocomplete:create')
    const script = `source '${join(this.config.cacheDir, 'autocomplete', `${shell}_setup`)}'`
    this.print(script)
    return { shell, script }
  }
}
