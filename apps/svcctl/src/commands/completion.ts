// svcctl completion
import type { Client } from '@gatehouse/client'
import { Args } from '@oclif/core'
import * as v from 'valibot'
import { SvcctlCommand } from '../command.ts'
import { completeWords } from '../completion/words.ts'
import { askUnit } from '../connection/unit.ts'

const shells = ['bash', 'zsh', 'fish'] as const
type Shell = (typeof shells)[number]

const bash = `_svcctl() {
  local first=1
  [[ \${COMP_WORDS[0]##*/} == gatehouse ]] && { [[ \${COMP_WORDS[1]} == ctl ]] || return 0; first=2; }
  local IFS=$'\\n'
  COMPREPLY=($(svcctl completion words -- "\${COMP_WORDS[@]:first:COMP_CWORD-first+1}" 2>/dev/null))
}
complete -o default -F _svcctl svcctl gatehouse`

const zsh = `_svcctl() {
  local first=2
  [[ \${words[1]:t} == gatehouse ]] && { [[ \${words[2]} == ctl ]] || return 0; first=3; }
  local -a found
  found=("\${(@f)$(svcctl completion words -- "\${(@)words[first,CURRENT]}" 2>/dev/null)}")
  [[ -n "$found" ]] && compadd -a found || _files
}
compdef _svcctl svcctl gatehouse`

const fish = `function __svcctl
  svcctl completion words -- (commandline -opc)[2..] (commandline -ct) 2>/dev/null
end
complete -c svcctl -a '(__svcctl)'`

const scripts: Readonly<Record<Shell, string>> = { bash, zsh, fish }

const Completed = v.strictObject({ shell: v.picklist([...shells, 'words']), script: v.string() })
type Completed = v.InferOutput<typeof Completed>

export class Completion extends SvcctlCommand<Completed> {
  static override summary = 'Print the script that completes commands, flags, ids and names in your shell.'
  static override description =
    'bash: add eval "$(svcctl completion bash)" to ~/.bashrc. zsh: the same with zsh in ~/.zshrc. fish: svcctl completion fish | source. Ids of changes and sessions, groups, servers and tools come from the unit. The scripts ask with "svcctl completion words -- WORDS". gatehouse ctl is completed too.'
  static override result = Completed
  static override examples = ['svcctl completion bash', 'svcctl completion zsh', 'svcctl completion words -- change ap']
  static override strict = false

  static override args = {
    shell: Args.string({
      description: 'Shell, or words for the words that may stand next.',
      options: [...shells, 'words'],
      required: true,
    }),
  }

  async run(): Promise<Completed> {
    const { args, argv } = await this.parse(Completion)
    const shell = v.parse(Completed.entries.shell, args.shell)
    const script = shell === 'words' ? await this.#words(argv.slice(1).map(String)) : scripts[shell]
    this.print(script)
    return { shell, script }
  }

  async #words(words: readonly string[]): Promise<string> {
    const connect = async (address: string | undefined): Promise<Client | undefined> => {
      const unit = await askUnit({
        environment: this.environment,
        address: address ?? this.environment['SERVICE_API_URL'] ?? 'http://127.0.0.1:8787',
        tokenFile: undefined,
        insecure: false,
      })
      return unit.reached ? unit.client : undefined
    }
    try {
      return (await completeWords(words, { commands: this.config.commands, connect })).join('\n')
    } catch {
      // A shell has no place for an error: nothing is offered.
      return ''
    }
  }
}
